// The kernels' base measures for a declared domain.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/kernel/multivariate_normal_kernel.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/kernel/poisson_kernel.hpp"

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

/// Rates spread over the domain: exponential with mean upper / 2.
[[nodiscard]] inline mixture::PoissonKernel poisson_kernel(const Interval& domain) {
  return {1, 2 / domain.upper};
}

/// On the unit cube: every coordinate's margin is `base_measure` of the unit interval, correlations are symmetric about zero.
template <int Dim>
[[nodiscard]] mixture::MultivariateNormalKernel<Dim> rows_kernel() {
  using Kernel = mixture::MultivariateNormalKernel<Dim>;
  const double sd = 1.0 / 16;
  return Kernel({.mean = Kernel::Vector::Constant(0.5),
                 .precision = 0.1,
                 .degrees = Dim + 5,
                 .scale = 4 * sd * sd * Kernel::Square::Identity()});
}

/// The whole numbers of a domain. Errors: configuration when there is none, or more than 10001.
[[nodiscard]] inline Position whole_numbers(const Interval& domain) {
  const double first = std::fmax(0, std::ceil(domain.lower));
  const double last = std::floor(domain.upper);
  if (!(last > first && last - first <= 10'000))
    throw Error(ErrorCode::configuration, "counts need a domain with 2 to 10001 whole numbers >= 0");
  return Position::LinSpaced(static_cast<Eigen::Index>(last - first) + 1, first, last);
}

}  // namespace sotto
