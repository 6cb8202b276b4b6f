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
  const bool is_row = schema_.unit.is_row();
  if (!is_row) rows_of_person_.expect(persons_.size() + 1);
  const std::optional<std::size_t> whose = is_row ? std::nullopt : within_person(person, kept);
  if (!is_row) persons_.push_back(whose.value_or(0));
  kept_.push_back(kept && (is_row || whose) ? 1 : 0);
}

void Table::append_nothing() {
  for (std::size_t j = 0; j < columns_.size(); ++j) columns_[j].push_back(schema_.columns[j].range().lower);
  if (!schema_.unit.is_row()) {
    persons_.push_back(0);
    rows_of_person_.expect(persons_.size());
  }
  kept_.push_back(0);
}

std::optional<std::size_t> Table::within_person(std::optional<std::string_view> person, bool kept) {
  if (!person) return std::nullopt;
  const std::string_view name = trim(*person);
  if (is_missing(name)) return std::nullopt;
  return rows_of_person_.take(name, kept ? schema_.unit.maximum_rows : 0);
}

}  // namespace sotto
