// What a query's noise must be: from public bounds alone, before any row is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/event/event.hpp"
#include "sotto/measurement/discrete_gaussian.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// Who is protected. All of it is public.
struct PrivacyUnit {
  Adjacency adjacency = Adjacency::substitute;
  std::size_t rows_per_unit = 1;  ///< most rows that one privacy unit holds
};

/// The grid of log densities is absolute, so that ratios over several positions add up exactly.
inline constexpr double kLogDensityGrid = 0x1p-40;

/// The integers a ratio's contributions are clamped to, in steps of kLogDensityGrid: lower <= 0 <= upper.
struct ContributionRange {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

/// The range of integers for contributions that lie in `range`, with room for the rounding of two log
/// densities. None when the range does not fit the grid.
[[nodiscard]] std::optional<ContributionRange> contribution_range(const Interval& range);

/// Query        sum over the rows of the change of the quantised log density
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  every contribution is an integer in [lower, upper] with lower <= 0 <= upper, and a row that
///              is left out contributes 0; so a unit moves the sum by at most rows_per_unit (upper - lower)
///              when it is substituted and by at most rows_per_unit max(-lower, upper) when it is added or
///              removed
/// Noise        discrete Gaussian whose variance, in the log density's unit, is a whole multiple of the grid
///              step: what keeps the penalty test exact (docs/penalty.md)
/// Charge       GaussianNoise::charge, at most `cost`
/// Source       [CKS20, Theorem 14]
/// `noise_sd` > 0 fixes the noise instead of the cost: the standard deviation that is asked for, rounded up.
/// None when the noise exceeds what the sampler draws.
[[nodiscard]] std::optional<GaussianNoise> ratio_noise(const ContributionRange& range,
                                                       const PrivacyUnit& unit, Rho cost,
                                                       double noise_sd = 0);

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
[[nodiscard]] StatisticNoise statistic_noise(std::span<const double> reach, const PrivacyUnit& unit,
                                             Rho cost);

/// Query        sum over the rows of a vector of `entries` numbers, each rounded to the grid 2^-30 .. 2^-29
///              of bound.norm
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  rows_per_unit times: diameter (or norm, for rows added, removed or left out) in grid steps,
///              plus sqrt(entries) because each coordinate of a difference of two rounded vectors is off by
///              at most one step; one part in 2^40 covers the floating-point evaluation of the contribution
/// Noise        discrete Gaussian
/// Charge       GaussianNoise::charge, at most `cost`
/// Source       [CKS20, Theorem 14]
/// None when the bound is not finite or zero.
[[nodiscard]] std::optional<GaussianNoise> vector_noise(const VectorBound& bound, std::size_t entries,
                                                        const PrivacyUnit& unit, Rho cost);

/// Query        as above, over a Poisson batch of rows instead of all
/// Adjacency    as declared; a unit is one row, because only for rows is the sampling's gain known
/// Sensitivity  one row in the batch contributes an integer vector of norm at most norm + sqrt(entries) / 2
/// in grid steps; GaussianNoise::sensitivity is that of the sum without sampling: once, or for substitution
/// twice that Noise        discrete Gaussian of a standard deviation of at least `multiplier` times that norm
/// Charge       up front for all steps of a run, with the sampling's gain: PrecomposedBudget
/// Source       [MTZ19]
/// None when the bound is not finite or zero.
[[nodiscard]] std::optional<GaussianNoise> batch_noise(const VectorBound& bound, std::size_t entries,
                                                       const PrivacyUnit& unit, double multiplier);

/// At least what any batch_noise with these arguments charges for one release without sampling: every bound
/// is at least 2^29 grid steps long.
[[nodiscard]] Charge batch_charge(std::size_t entries, const PrivacyUnit& unit, double multiplier);

/// A run of `count` batch gradients, as the accountant sees it. Discreteness is charged beside it, as slack.
[[nodiscard]] inline Event batch_event(double rate, double multiplier, std::uint64_t count) {
  return {SubsampledGaussianEvent{
              .clip_norm = 1, .sigma = multiplier, .rate = rate, .sampling = Sampling::poisson},
          count};
}

/// The same composed with Gaussian releases of total cost `others`.
[[nodiscard]] Event batch_run(double rate, double multiplier, std::uint64_t count, Rho others);

}  // namespace sotto
