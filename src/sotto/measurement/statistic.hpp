// The noisy sum of a statistic of the rows, an exponential family's for instance: read once, then released with fresh noise.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sotto/measurement/measurement.hpp"
#include "sotto/model/exponential_family.hpp"

namespace sotto {

/// The grid of statistics, whose entries lie in [-1, 1].
inline constexpr double kStatisticGrid = 0x1p-40;

/// Noise for a statistic, and the quantum that the weights of a sum of its entries must be multiples of.
struct StatisticNoise {
  GaussianNoise noise;
  double quantum;
};

/// Query        sum over the rows of a vector of integers, 2^40 steps to the unit; a row that is left out has zeros
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  rows_per_unit times: bound.diameter for two rows that both contribute, bound.norm for a row that is added, removed
///              or left out
/// Noise        discrete Gaussian of a variance V = k 2^m steps^2, k an integer; weights must be multiples of
///              2^-m per step. m is the largest that raises the variance by less than one part in 2^10
/// Charge       GaussianNoise::charge, at most `cost`
/// Source       [CKS20, Theorem 14]; why V and the weights must fit: docs/penalty.md
/// Checked by tests/measurement/statistic_test.cpp: no_unit_moves_the_sum_by_more_than_declared
[[nodiscard]] StatisticNoise statistic_noise(std::size_t entries, const VectorBound& bound,
                                             const PrivacyUnit& unit, Rho cost);

/// The exact sum of the rows' statistics; entries are integers on the grid kStatisticGrid.
template <RowStatistic S>
ExactSum sum_statistics(const S& statistic, const Rows& rows, int threads) {
  constexpr std::size_t kRun = 512;  // tiles; 4096 rows of at most 2^40 steps stay far below 2^63
  return sum_tiles(rows.tiles(), kRun, statistic.size(), threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     std::vector<double> row(rows.columns());
                     std::vector<double> raw(statistic.size());
                     std::vector<std::int64_t> entries(statistic.size());
                     for (std::size_t t = first; t < first + count; ++t) {
                       const double* tile = rows.tile(t);
                       for (std::size_t lane = 0; lane < kTile; ++lane) {
                         if (tile[rows.columns() * kTile + lane] == 0) continue;
                         for (std::size_t j = 0; j < row.size(); ++j) row[j] = tile[j * kTile + lane];
                         statistic.entries(row, 1 / kStatisticGrid, raw, entries);
                         for (std::size_t j = 0; j < entries.size(); ++j) sums[j] += entries[j];
                       }
                     }
                   });
}

/// The measurement of a sum that is known already.
[[nodiscard]] Measurements measure_kept_statistic(const Query& query, const PrivacyUnit& unit,
                                                  std::size_t entries, const VectorBound& bound,
                                                  std::shared_ptr<const ExactSum> sum);

/// Answers statistic queries only, each with fresh noise on the same sum. The rows are read here and not kept.
/// Source     [Y17, Algorithm 3]
/// Checked by tests/measurement/statistic_test.cpp: price_is_paid_and_noise_is_fresh
template <RowStatistic S>
[[nodiscard]] Measure measure_statistic(const Rows& rows, const S& statistic, const PrivacyUnit& unit,
                                        int threads) {
  auto sum = std::make_shared<const ExactSum>(sum_statistics(statistic, rows, threads));
  return [sum, unit, entries = statistic.size(), bound = statistic.bound()](const Query& query) {
    return std::optional(measure_kept_statistic(query, unit, entries, bound, sum));
  };
}

}  // namespace sotto
