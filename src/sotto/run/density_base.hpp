// The kernels' base measures for a declared domain.
#pragma once

#include "sotto/base/interval.hpp"
#include "sotto/mixture/beta_kernel.hpp"
#include "sotto/mixture/normal_kernel.hpp"

namespace sotto {

/// Kernels about a sixteenth of the domain wide, their means mostly inside it. On [-10, 10] it is close to
/// the published N(0, 10 variance) x IG(3, 3) [BFR24, section 4.1].
[[nodiscard]] inline mixture::NormalInverseGamma base_measure(const Interval& domain) {
  const double sd = domain.width() / 16;
  return {.mean = domain.lower + domain.width() / 2, .precision = 0.1, .shape = 3, .rate = 2 * sd * sd};
}

/// On the unit interval: kernels of the same width. The published gamma(2, 2) has next to no mass on kernels as narrow as the
/// data it was used for, and much on densities that are infinite at the ends.
[[nodiscard]] inline mixture::BetaBase beta_base() {
  return {.shape_a = 2, .rate_a = 1.0 / 15, .shape_b = 2, .rate_b = 1.0 / 15};
}

}  // namespace sotto
