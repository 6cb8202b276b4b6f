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
  Rows rows(table.rows(), predictors + 1);
  std::vector<std::span<const double>> columns;
  for (const Source& source : design.sources()) columns.push_back(cells(table, source));
  const std::span<const double> response = cells(table, design.response().source);

  std::vector<double> values(columns.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!table.kept(i)) continue;
    for (std::size_t s = 0; s < values.size(); ++s) values[s] = design.sources()[s].value(columns[s][i]);
    for (std::size_t j = 0; j < predictors; ++j) {
      rows.at(i, j) = design.column(static_cast<Eigen::Index>(j)).scaled(values);
    }
    rows.at(i, predictors) = design.response().value(response[i]);
    rows.weight(i) = 1;
  }
  return rows;
}

}  // namespace sotto
