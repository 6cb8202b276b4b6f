// The noisy log-likelihood ratio of two positions, summed over all rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sotto/base/interval.hpp"
#include "sotto/measurement/measurement.hpp"

namespace sotto {

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

/// That of a question, the likelihood's power included.
[[nodiscard]] std::optional<ContributionRange> contribution_range(const RatioQuery& query,
                                                                  const OwnerContext& context);

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
/// Checked by tests/measurement/ratio_test.cpp: ratio_noise_is_a_whole_multiple_of_the_grid
[[nodiscard]] std::optional<GaussianNoise> ratio_noise(const ContributionRange& range,
                                                       const PrivacyUnit& unit, Rho cost,
                                                       double noise_sd = 0);

/// One integer, in steps of noise.grid.
[[nodiscard]] std::function<Answer(NoiseMechanism&, Receipt, const ExactSum&)> release_ratio(
    const GaussianNoise& noise);

}  // namespace sotto
