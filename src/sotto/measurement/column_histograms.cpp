#include "sotto/measurement/column_histograms.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

bool legal(const ColumnHistogramsQuery& query, Eigen::Index dim) {
  const bool windows = std::all_of(query.windows.begin(), query.windows.end(), [](const Interval& window) {
    return window.upper > window.lower && std::isfinite(window.width());
  });
  return legal_columns(query.columns, dim) && windows && query.windows.size() == query.columns.size() &&
         query.bins >= 2 && query.bins <= 4096;
}

}  // namespace

std::optional<Measurements> measure(const ColumnHistogramsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query, regression.domain().columns())) return std::nullopt;
  const auto columns = static_cast<double>(query.columns.size());
  return measure_vector(
      {"column histograms",
       {std::sqrt(columns) * kRoundUp, std::sqrt(2 * columns) * kRoundUp},
       query.columns.size() * query.bins,
       [query](const GlmTiles& tiles, const RowRounding& rounding, std::span<std::int64_t> sums) {
         column_histograms_pass(tiles, query, rounding, sums);
       }},
      context, query.cost);
}

}  // namespace sotto
