// Prior sensitivity: how far a parameter's posterior moves when its prior is raised to a power near 1. Of draws alone.
#pragma once

#include <vector>

namespace sotto {

/// From here on the prior is said to count: as if a normal posterior moved by a fifth to a quarter of its standard deviation when the prior is
/// squared.
/// Source     [KPBV24]
inline constexpr double kPriorSensitive = 0.05;

/// Distance between the posterior and that under the prior to the power alpha, over |log2 alpha|, as alpha comes to 1: the cumulative
/// Jensen-Shannon distance, a number between 0 and 1 that no change of unit moves. It sees a shift and a change of width.
/// `draws`: independent ones of a parameter; `log_prior`: of the position of each.
/// Computes   with F the draws' distribution function and g(x) = Cov(1{draw <= x}, log prior), its derivative by alpha:
///            sqrt(ln 2 / 8 * integral of g^2 / F / integral of F), or that of the draws' negatives where it is larger; g^2 is less what
///            so many draws make of it by chance
/// Source     [KPBV24]: importance weights at alpha = .99 and 1.01, whose limit this is
/// Checked by tests/posterior/prior_sensitivity_test.cpp: is_that_of_a_normal_mean, is_the_limit_of_importance_weights
[[nodiscard]] double prior_sensitivity(const std::vector<double>& draws,
                                       const std::vector<double>& log_prior);

}  // namespace sotto
