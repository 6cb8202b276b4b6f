// Records from Arrow's record batches, which Parquet files and Arrow streams are read as.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto_io/table_records.hpp"

namespace arrow {
class Field;
class RecordBatchReader;
}  // namespace arrow

namespace sotto {

/// Errors: data where a column is of a type that holds no single values. `table`: what it is called in the message.
void check_single_values(const std::string& table, const arrow::Field& field);

/// Visits the records of batches that hold each of the named columns once, all of them checked. Every value is written out
/// as text, so that a table means the same wherever it comes from. A record with more than kMostCellBytes in one of these cells
/// is not whole. False where Arrow cannot read them, whose own messages may quote cells.
[[nodiscard]] bool visit_batches(arrow::RecordBatchReader& batches, const std::vector<std::string>& names,
                                 const std::function<void(const TableRecord&)>& visit);

}  // namespace sotto
