// The tight privacy curve of composed Gaussian mechanisms.
#pragma once

#include "sotto/base/numbers.hpp"

namespace sotto {

/// Smallest delta for which Gaussian queries of total cost `rho` are (epsilon, delta)-private, rounded up.
/// Computes   delta = (erfc((epsilon - rho) / (2 sqrt(rho))) - e^epsilon erfc((epsilon + rho) / (2 sqrt(rho)))) / 2
/// Source     [RKH21, Theorem 2.4], with rho = sum of sensitivity_i^2 / (2 sigma_i^2)  (erratum E12)
/// Checked by tests/accountant/gaussian_test.cpp
[[nodiscard]] Delta gaussian_delta(Rho rho, Epsilon epsilon);

/// Smallest epsilon for which Gaussian queries of total cost `rho` are (epsilon, delta)-private, rounded up; infinite
/// for delta = 0 unless rho = 0.
[[nodiscard]] Epsilon gaussian_epsilon(Rho rho, Delta delta);

/// Largest total cost whose curve passes at or below (epsilon, delta), rounded down.
[[nodiscard]] Rho gaussian_rho(Epsilon epsilon, Delta delta);

}  // namespace sotto
