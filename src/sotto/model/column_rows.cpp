#include "sotto/model/column_rows.hpp"

#include <cstddef>
#include <span>

namespace sotto {

Rows column_rows(const Table& table, const std::vector<std::string>& columns) {
  Rows rows(table.rows(), columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::span<const double> column = table.column(columns[j]);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.kept(i)) rows.at(i, j) = column[i];
    }
  }
  for (std::size_t i = 0; i < table.rows(); ++i) rows.weight(i) = table.kept(i) ? 1 : 0;
  return rows;
}

}  // namespace sotto
