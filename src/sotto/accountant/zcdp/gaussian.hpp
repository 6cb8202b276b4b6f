// The tight privacy curve of composed Gaussian mechanisms.
#pragma once

#include "sotto/accountant/bounds.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {

/// Both bounds of the smallest delta for which Gaussian queries of total cost `rho` are (epsilon,
/// delta)-private. The bounds keep a relative distance of about 1e-10 down to delta = 1e-300 (below that the
/// lower bound is 0).
/// Computes   delta = (erfc((epsilon - rho) / (2 sqrt(rho))) - e^epsilon erfc((epsilon + rho) / (2 sqrt(rho)))) / 2
/// Source     [RKH21, Theorem 2.4], with rho = sum of sensitivity_i^2 / (2 sigma_i^2)  (erratum E12)
/// Differs    the two terms share the factor exp(-(epsilon - rho)^2 / (4 rho)), so that neither underflows alone
/// Checked by tests/accountant/gaussian_test.cpp: delta_is_right_down_to_the_smallest_numbers
[[nodiscard]] Bounds gaussian_delta_bounds(Rho rho, Epsilon epsilon);

/// Both bounds of the smallest epsilon for which the queries are (epsilon, delta)-private.
[[nodiscard]] Bounds gaussian_epsilon_bounds(Rho rho, Delta delta);

/// The upper bound of gaussian_delta_bounds.
[[nodiscard]] Delta gaussian_delta(Rho rho, Epsilon epsilon);

/// Smallest epsilon for which Gaussian queries of total cost `rho` are (epsilon, delta)-private, rounded up;
/// infinite for delta = 0 unless rho = 0.
[[nodiscard]] Epsilon gaussian_epsilon(Rho rho, Delta delta);

/// Largest total cost whose curve passes at or below (epsilon, delta), rounded down.
[[nodiscard]] Rho gaussian_rho(Epsilon epsilon, Delta delta);

}  // namespace sotto
