// Noisy histograms of some of a regression's columns over all rows.
//
// Query        for each column, how many rows fall into each bin of its window; at an end or beyond, into a bin of that end; where a
//              unit's rows stand side by side, its shares of them
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  a row sits in one bin of each of c columns: norm sqrt(c), and two rows differ by at most sqrt(2 c), as do means of
//              such vectors, whose entries are not negative;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_column_histograms_further_than_declared

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

// Of a bin: nearer to an end of the window is at it. Bounds of rows may be off by rounding once they are columns.
constexpr double kAtEnd = 1e-9;

bool legal(const ColumnHistogramsQuery& query, Eigen::Index dim) {
  const bool windows = std::all_of(query.windows.begin(), query.windows.end(), [](const Interval& window) {
    return window.upper > window.lower && std::isfinite(window.width());
  });
  return legal_columns(query.columns, dim) && windows && query.windows.size() == query.columns.size() &&
         query.bins >= 2 && query.bins <= 4096;
}

void count(const ColumnHistogramsQuery& query, const GlmTiles& tiles, IntegerSums& sums) {
  const auto bins = static_cast<double>(query.bins);
  const double* tile = nullptr;
  for_each_unit(
      tiles, [&](const auto& x) { tile = x.data(); },
      [&](Eigen::Index lane, double) {
        for (std::size_t k = 0; k < query.columns.size(); ++k) {
          const Interval& window = query.windows[k];
          const double x = tile[query.columns[k] * static_cast<Eigen::Index>(kTile) + lane];
          const double place = (x - window.lower) / window.width() * bins;
          if (std::isnan(place)) continue;
          const double bin = place <= kAtEnd ? 0 : place >= bins - kAtEnd ? bins + 1 : 1 + std::floor(place);
          sums.entries[static_cast<Eigen::Index>(k * (query.bins + 2)) + static_cast<Eigen::Index>(bin)] +=
              sums.factor;
        }
      },
      [&](std::size_t rows) { sums.add_mean(rows); });
}

}  // namespace

template <>
std::optional<Measurements> measure(const ColumnHistogramsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query, regression.domain().columns())) return std::nullopt;
  const auto add = [query](const GlmTiles& tiles, IntegerSums& sums) { count(query, tiles, sums); };
  const auto columns = static_cast<double>(query.columns.size());
  const VectorBound bound{std::sqrt(columns) * kRoundUp, std::sqrt(2 * columns) * kRoundUp};
  return measure_vector({"column histograms", bound, query.columns.size() * (query.bins + 2), add}, context,
                        query.cost);
}

}  // namespace sotto
