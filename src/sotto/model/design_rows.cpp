#include "sotto/model/design_rows.hpp"

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

}  // namespace

Rows design_rows(const Table& table, const Design& design) {
  const auto predictors = static_cast<std::size_t>(design.columns());
  const std::size_t pieces = design.pieces().count;
  Rows rows(table.rows() * pieces, predictors + 1);
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
        y = response.source.value(responses[i]);
      }
      if (design.piece_source()) values[*design.piece_source()] = static_cast<double>(k);
      const std::size_t row = i * pieces + k;
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
