// Whether the cumulative logit fits: whether columns' effects differ between thresholds, where the model has one for all, and
// whether probabilities climb by a skewed curve.
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/pooled_release.hpp"

namespace sotto {

/// Columns of the design whose effects are asked about: all but the intercept, thresholds' own and levels that vary.
[[nodiscard]] std::vector<Eigen::Index> columns_for_threshold_effects(const OnceFacts& facts);

/// `columns`: at least one. Contrasts are polynomials, up to the second, in P(y > k), times the thresholds' weights; no column's
/// effect that is the same at all thresholds moves them, as far as the stand-in tells.
[[nodiscard]] ThresholdEffectsQuery threshold_effects_query(const PlanPoint& point,
                                                            std::vector<Eigen::Index> columns, Rho cost);

struct ThresholdEffects {
  std::vector<Eigen::Index> differing{};  ///< columns whose effect differs between thresholds
  bool skewed = false;                    ///< probabilities climb faster on one side
};

/// What stands clear of noise, of sampling, and of where the posterior `base`, in `point`'s frame and about its position, puts effects
/// that are the same at all thresholds.
/// Checked by tests/posterior/threshold_effects_test.cpp: stand_clear_of_noise_and_of_the_posterior
[[nodiscard]] ThresholdEffects threshold_effects(const ThresholdEffectsQuery& query,
                                                 const NoisyVector& answer, const PlanPoint& point,
                                                 const NormalBase& base);

}  // namespace sotto
