// A table as Python hands it over: a path, or the capsule of an Arrow C stream.
#pragma once

#include <nanobind/nanobind.h>

#include "sotto_io/table_records.hpp"

namespace sotto::python {

/// Reads the table once. The object must outlive the reader, which needs no interpreter lock.
[[nodiscard]] RecordReader records_of(const nanobind::object& data);

}  // namespace sotto::python
