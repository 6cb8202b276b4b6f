#include "python/records.hpp"

#include <nanobind/stl/string.h>

#include <filesystem>
#include <string>

#include "sotto_io/arrow_stream.hpp"

namespace nb = nanobind;

namespace sotto::python {

RecordReader records_of(const nb::object& data) {
  if (!PyCapsule_CheckExact(data.ptr())) return sotto::records_of(nb::cast<std::string>(data));
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(data.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return
      [stream](const std::vector<std::string>& names, const std::function<void(const TableRecord&)>& visit) {
        read_stream_records(*stream, names, visit);
      };
}

}  // namespace sotto::python
