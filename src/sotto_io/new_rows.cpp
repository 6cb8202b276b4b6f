#include "sotto_io/new_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string_view>

#include "sotto/data/decode.hpp"

namespace sotto {
namespace {

/// Of one row: which of its cells were moved, or are missing.
struct Readings {
  std::vector<std::size_t> beyond, missing;
};

Readings readings_of(std::span<const std::optional<std::string_view>> cells, const Schema& schema,
                     const std::vector<std::size_t>& places) {
  Readings readings;
  for (std::size_t j = 0; j < places.size(); ++j) {
    const SchemaColumn& column = schema.columns[places[j]];
    const CellReading reading = cells[j] ? read_cell(column, *cells[j]).reading : CellReading::missing;
    if (reading == CellReading::value) continue;
    (reading == CellReading::clamped ? readings.beyond : readings.missing).push_back(places[j]);
  }
  return readings;
}

std::vector<NewRows::Count> counts_of(const std::map<std::size_t, std::size_t>& cells, const Schema& schema) {
  std::vector<NewRows::Count> counts;
  counts.reserve(cells.size());
  for (const auto& [column, rows] : cells) counts.push_back({schema.columns[column].name, rows});
  return counts;
}

std::string by_column(const std::vector<NewRows::Count>& counts) {
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const NewRows::Count& count : counts) texts.push_back(fmt::format("{}: {}", count.column, count.rows));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

NewRows read_new_rows(const RecordReader& read, const Schema& schema,
                      const std::vector<std::string>& columns) {
  NewRows rows{Table(schema)};
  std::vector<std::size_t> places;
  places.reserve(columns.size());
  for (const std::string& name : columns) places.push_back(schema.index(name));
  std::map<std::size_t, std::size_t> unread, beyond, imputed;
  std::vector<std::optional<std::string_view>> cells(schema.columns.size());
  read(columns, [&](const TableRecord& record) {
    if (!record.whole) {
      ++rows.unread;
      return rows.table.append_nothing();
    }
    for (std::size_t j = 0; j < places.size(); ++j) cells[places[j]] = record.cells[j];
    rows.table.append(cells, std::nullopt);
    const Readings readings = readings_of(record.cells, schema, places);
    const bool kept = rows.table.kept(rows.table.rows() - 1);
    if (!kept) ++rows.unread;
    if (kept && !readings.beyond.empty()) ++rows.beyond;
    for (const std::size_t column : readings.missing) {
      const bool drops = schema.columns[column].missing == MissingPolicy::drop;
      if (drops || kept) ++(drops ? unread : imputed)[column];
    }
    if (!kept) return;
    for (const std::size_t column : readings.beyond) ++beyond[column];
  });
  rows.unread_cells = counts_of(unread, schema);
  rows.beyond_cells = counts_of(beyond, schema);
  rows.imputed_cells = counts_of(imputed, schema);
  return rows;
}

std::vector<std::string> told_of(const NewRows& rows) {
  const std::size_t all = rows.table.rows();
  std::vector<std::string> told;
  if (rows.unread > 0) {
    told.push_back(fmt::format(
        "{} of {} rows have no prediction: a cell is missing, or is no value of its column{}", rows.unread,
        all, rows.unread_cells.empty() ? "." : fmt::format(" ({}).", by_column(rows.unread_cells))));
  }
  if (rows.beyond > 0) {
    told.push_back(
        fmt::format("{} of {} rows lie beyond declared bounds and are predicted at the bound, as a fit takes "
                    "them ({}): of what lies "
                    "beyond, the model says nothing.",
                    rows.beyond, all, by_column(rows.beyond_cells)));
  }
  if (!rows.imputed_cells.empty()) {
    told.push_back(fmt::format("Missing cells took the value that the schema imputes, as in a fit ({}).",
                               by_column(rows.imputed_cells)));
  }
  return told;
}

}  // namespace sotto
