#include "sotto/data/table.hpp"

#include <utility>

#include "sotto/data/decode.hpp"

namespace sotto {

Table::Table(Schema schema) : schema_(std::move(schema)) {
  check(schema_);
  columns_.resize(schema_.columns.size());
}

void Table::append(std::span<const std::optional<std::string_view>> cells,
                   std::optional<std::string_view> person) {
  bool kept = true;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const SchemaColumn& column = schema_.columns[j];
    const std::optional<double> value =
        j < cells.size() && cells[j] ? decode_cell(column, *cells[j]) : std::nullopt;
    if (!value && column.missing == MissingPolicy::drop) kept = false;
    columns_[j].push_back(
        value.value_or(column.missing == MissingPolicy::impute ? column.imputed : column.range().lower));
  }
  kept_.push_back(kept && within_person(person) ? 1 : 0);
}

void Table::append_nothing() {
  for (std::size_t j = 0; j < columns_.size(); ++j) columns_[j].push_back(schema_.columns[j].range().lower);
  kept_.push_back(0);
}

bool Table::within_person(std::optional<std::string_view> person) {
  if (schema_.unit.is_row()) return true;
  if (!person) return false;
  const std::string_view name = trim(*person);
  if (is_missing(name)) return false;
  return rows_of_person_.take(name, schema_.unit.maximum_rows);
}

}  // namespace sotto
