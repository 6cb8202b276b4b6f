#include "sotto/run/effect_curves.hpp"

#include <algorithm>
#include <cstddef>

namespace sotto {
namespace {

constexpr Eigen::Index kPoints = 61;

/// Columns of the design whose coefficients make up the curve of this variable; none where a product has a part of it.
std::vector<Eigen::Index> columns_of_curve(const Design& design, const Variable& curve) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = 0; j < design.columns(); ++j) {
    const auto& parts = design.column(j).parts;
    const bool of_curve = std::ranges::any_of(parts, [&](const DesignColumn::Part& part) {
      return design.sources()[part.source].variable == curve;
    });
    if (!of_curve) continue;
    if (parts.size() > 1) return {};
    columns.push_back(j);
  }
  return columns;
}

EffectCurve curve_of_columns(const Design& design, const std::vector<Eigen::Index>& columns) {
  const auto source_of_column = [&](Eigen::Index j) -> const Source& {
    return design.sources()[design.column(j).parts.front().source];
  };
  const Source& first = source_of_column(columns.front());
  const Interval bounds = first.declared.range();
  EffectCurve curve{.column = first.variable.column, .at = {}, .parameters = {}, .weights = {}};
  curve.weights.resize(kPoints, static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index i = 0; i < kPoints; ++i)
    curve.at.push_back(bounds.lower + bounds.width() * static_cast<double>(i) / (kPoints - 1));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Source& source = source_of_column(columns[k]);
    curve.parameters.push_back(design.column(columns[k]).name);
    const double middle = source.value(bounds.lower + bounds.width() / 2);
    for (Eigen::Index i = 0; i < kPoints; ++i)
      curve.weights(i, static_cast<Eigen::Index>(k)) =
          source.value(curve.at[static_cast<std::size_t>(i)]) - middle;
  }
  return curve;
}

}  // namespace

std::vector<EffectCurve> effect_curves(const Design& design) {
  std::vector<Variable> bases;
  for (const Source& source : design.sources()) {
    if (source.variable.is_basis() && std::ranges::find(bases, source.variable) == bases.end())
      bases.push_back(source.variable);
  }
  std::vector<EffectCurve> curves;
  for (const Variable& basis : bases) {
    const std::vector<Eigen::Index> columns = columns_of_curve(design, basis);
    if (!columns.empty()) curves.push_back(curve_of_columns(design, columns));
  }
  return curves;
}

}  // namespace sotto
