// Monte Carlo standard errors: how far a summary may be off because the draws are finitely many.
#pragma once

#include "sotto/base/position.hpp"

namespace sotto {

/// Standard error of the mean. `x` has shape (draws, chains); NaN where `can_be_diagnosed` is false.
/// Computes   sd / sqrt(ess_mean)
/// Source     [VGSCB21, section 4.3]
[[nodiscard]] double mcse_mean(const Matrix& x);

/// Standard error of the standard deviation, by the delta method.
/// Computes   sqrt((m4 - m2^2) / (4 m2 ess)), m2 and m4 central moments, ess that of (x - mean)^2
/// Source     [VGSCB21, section 4.3]
[[nodiscard]] double mcse_sd(const Matrix& x);

/// Standard error of a quantile: half the distance of two order statistics, the 16 % and 84 % points of the
/// beta law of the quantile's rank.
/// Source     [VGSCB21, section 4.3]
[[nodiscard]] double mcse_quantile(const Matrix& x, double probability);

}  // namespace sotto
