#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>
#include <string>

#include "python/bindings.hpp"
#include "python/records.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/model/formula.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_check.hpp"

namespace nb = nanobind;

namespace sotto::python {

void add_tables(nb::module_& module) {
  nb::class_<Schema>(module, "Schema")
      .def_static("read", [](const std::string& path) { return read_schema(path); })
      .def_static("parse", [](const std::string& text) { return parse_schema(text, "schema"); });
  module.def("check", [](const nb::object& data, const Schema& schema, const std::string& formula) {
    const RecordReader records = records_of(data);
    const nb::gil_scoped_release others_run;
    return to_json(check_table(records,
                               formula.empty() ? schema : schema.select(parse_formula(formula).columns())))
        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  });
}

}  // namespace sotto::python
