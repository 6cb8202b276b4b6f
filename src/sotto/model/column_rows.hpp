// Columns of a table as they are, as the passes read them.
#pragma once

#include <string>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/data/table.hpp"

namespace sotto {

/// Curator side. Row by row: the values of `columns` in this order, categories as level indices, then the weight (1 if kept).
/// Rows that are not kept are zero throughout. Errors: configuration for a column that the table does not declare.
[[nodiscard]] Rows column_rows(const Table& table, const std::vector<std::string>& columns);

}  // namespace sotto
