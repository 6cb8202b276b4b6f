// The noisy sum of an exponential family's standard statistic: read once, then released with fresh noise.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sotto/measurement/measurement.hpp"
#include "sotto/model/exponential_family.hpp"

namespace sotto {

/// The grid of standard statistics, whose entries lie in [-1, 1].
inline constexpr double kStatisticGrid = 0x1p-40;

/// Noise for a statistic, and the quantum that the weights of a sum of its entries must be multiples of.
struct StatisticNoise {
  GaussianNoise noise;
  double quantum;
};

/// Query        sum over the rows of a vector of integers; entry j lies in [-reach_j, reach_j] in units of
///              2^40 steps, and entry 0 is 2^40 for every row
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  rows_per_unit times: 2 |reach| without entry 0 for two rows that both contribute, |reach|
///              with it for a row that is added, removed or left out
/// Noise        discrete Gaussian of a variance V = k 2^m steps^2, k an integer; weights must be multiples of
///              2^-m per step. m is the largest that raises the variance by less than one part in 2^10
/// Charge       GaussianNoise::charge, at most `cost`
/// Source       [CKS20, Theorem 14]; why V and the weights must fit: docs/penalty.md
/// Checked by tests/measurement/statistic_test.cpp: no_unit_moves_the_sum_by_more_than_declared
[[nodiscard]] StatisticNoise statistic_noise(std::span<const double> reach, const PrivacyUnit& unit,
                                             Rho cost);

/// The exact sum of the rows' standard statistics; entries are integers on the grid kStatisticGrid.
template <ExponentialFamily F>
ExactSum sum_statistics(const StandardStatistic<F>& statistic, const Rows& rows, int threads) {
  constexpr std::size_t kRun = 512;  // tiles; 4096 rows of at most 2^40 steps stay far below 2^63
  return sum_tiles(rows.tiles(), kRun, statistic.size(), threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     std::vector<double> row(rows.columns());
                     std::vector<double> raw(statistic.size() - 1);
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
                                                  std::span<const double> reach,
                                                  std::shared_ptr<const ExactSum> sum);

/// Answers statistic queries only, each with fresh noise on the same sum. The rows are read here and not kept.
/// Source     [Y17, Algorithm 3]
/// Checked by tests/measurement/statistic_test.cpp: price_is_paid_and_noise_is_fresh
template <ExponentialFamily F>
[[nodiscard]] Measure measure_statistic(const Rows& rows, const StandardStatistic<F>& statistic,
                                        const PrivacyUnit& unit, int threads) {
  auto sum = std::make_shared<const ExactSum>(sum_statistics(statistic, rows, threads));
  return [sum, unit, reach = statistic.reach()](const Query& query) {
    return std::optional(measure_kept_statistic(query, unit, reach, sum));
  };
}

}  // namespace sotto
