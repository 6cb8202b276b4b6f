#include "sotto/model/design_rows.hpp"

#include <algorithm>
#include <vector>

#include "sotto/base/error.hpp"

namespace sotto {

namespace {

// The bounds that decoding enforced must be the bounds that sensitivities are computed from.
std::span<const double> cells(const Table& table, const Source& source) {
  const SchemaColumn& decoded = table.schema().column(source.variable.column);
  const SchemaColumn& declared = source.declared;
  if (decoded.kind != declared.kind || decoded.range().lower != declared.range().lower ||
      decoded.range().upper != declared.range().upper || decoded.levels != declared.levels) {
    throw Error(ErrorCode::internal, "the table was decoded under another schema than the design's");
  }
  return table.column(source.variable.column);
}

/// Where the table's rows stand among the design's, in its rows. How many these are follows from the number of rows, whichever can be
/// used.
struct Places {
  std::size_t rows = 0;  ///< in all
  WipedVector<std::size_t> of_row;
  WipedVector<std::size_t> units;  ///< where each begins; empty where rows stand as they came
};

Places as_they_came(const Table& table, std::size_t pieces) {
  Places places{table.rows() * pieces, {}, {}};
  for (std::size_t i = 0; i < table.rows(); ++i) places.of_row.push_back(i * pieces);
  return places;
}

Places by_persons(const Table& table) {
  // There are no more persons than rows: memory is taken for so many.
  WipedVector<std::size_t> sizes(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (table.kept(i)) ++sizes[table.person(i)];
  Places places{Rows::most_rows(table.rows(), table.schema().unit.maximum_rows), {}, {}};
  places.of_row.reserve(table.rows());
  places.units.reserve(table.rows());
  WipedVector<std::size_t> next;  // of each person
  next.reserve(table.rows());
  std::size_t end = 0;
  for (const std::size_t size : sizes) {
    next.push_back(Rows::next_unit(end, size));
    end = next.back() + size;
    if (size > 0) places.units.push_back(next.back());
  }
  for (std::size_t i = 0; i < table.rows(); ++i)
    places.of_row.push_back(table.kept(i) ? next[table.person(i)]++ : 0);
  return places;
}

}  // namespace

Rows design_rows(const Table& table, const Design& design, bool side_by_side) {
  const auto predictors = static_cast<std::size_t>(design.columns());
  const std::size_t pieces = design.pieces().count;
  const Places places = side_by_side ? by_persons(table) : as_they_came(table, pieces);
  Rows rows(places.rows, predictors + 1);
  if (side_by_side) rows.stand_by_units();
  for (const std::size_t first : places.units) rows.start_unit(first);
  std::vector<std::span<const double>> columns;
  for (const Source& source : design.sources()) columns.push_back(cells(table, source));
  const Response& response = design.response();
  const std::span<const double> responses = cells(table, response.source);
  std::span<const double> events;
  if (response.event) events = cells(table, *response.event);

  std::vector<double> values(columns.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!table.kept(i)) continue;
    for (std::size_t s = 0; s < values.size(); ++s) {
      if (s != design.piece_source()) values[s] = design.sources()[s].value(columns[s][i]);
    }
    for (std::size_t k = 0; k < pieces; ++k) {
      double y = 0;
      if (response.time_at_risk) {
        const auto piece =
            response.time_at_risk->response(k, responses[i], response.event->value(events[i]) != 0);
        if (!piece) break;
        y = piece->coded();
      } else {
        y = response.value(responses[i]);
      }
      if (design.piece_source()) values[*design.piece_source()] = static_cast<double>(k);
      const std::size_t row = places.of_row[i] + k;
      for (std::size_t j = 0; j < predictors; ++j) {
        rows.at(row, j) = design.column(static_cast<Eigen::Index>(j)).scaled(values);
      }
      rows.at(row, predictors) = y;
      rows.weight(row) = 1;
    }
  }
  return rows;
}

}  // namespace sotto
