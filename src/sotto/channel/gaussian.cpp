#include "sotto/channel/gaussian.hpp"

#include "sotto/accountant/zcdp/gaussian.hpp"

namespace sotto {

using boost::multiprecision::cpp_int;

cpp_int gaussian_variance(long long sensitivity, Rho rho) {
  const auto size = static_cast<double>(sensitivity);
  // size^2 <= 2^60 is rounded once, and so is the quotient; the factor and the + 1 more than make up for
  // both.
  const double variance = size * size / (2 * rho.value()) * (1 + 0x1p-50);
  if (!(variance < 0x1p103)) {
    throw Error(ErrorCode::configuration,
                "the privacy budget of one release is too small for the channel's grid");
  }
  return cpp_int(std::floor(variance)) + 1;
}

cpp_int gaussian_variance(long long sensitivity, Epsilon epsilon, Delta delta) {
  const auto size = static_cast<double>(sensitivity);
  if (!(epsilon.value() > 0) || !std::isfinite(epsilon.value()) ||
      !(delta.value() > 0 && delta.value() < 1)) {
    throw Error(ErrorCode::configuration,
                "the Gaussian channel needs a finite epsilon > 0 and 0 < delta < 1");
  }
  // The slack falls as the variance grows: start from the variance without slack and raise it until the curve
  // is met.
  cpp_int variance = gaussian_variance(sensitivity, gaussian_rho(epsilon, delta));
  while (true) {
    const double narrow = static_cast<double>(variance) * (1 - 0x1p-50);
    const double left = epsilon.value() - size / narrow;
    const Rho rho(size * size / (2 * narrow) * (1 + 0x1p-50));
    if (left >= 0 && gaussian_delta(rho, Epsilon(left)) <= delta) return variance;
    variance += 1 + (variance >> 22);  // overshoots by less than 2.4e-7 of the variance
  }
}

DiscreteGaussianChannel::DiscreteGaussianChannel(Grid grid, const cpp_int& variance, Epsilon epsilon,
                                                 Delta delta)
    : grid_(grid),
      variance_(variance),
      half_precision_(0.5 / static_cast<double>(variance)),
      guarantee_{epsilon, delta,
                 Rho(static_cast<double>(grid.steps()) * static_cast<double>(grid.steps()) * half_precision_ *
                     (1 + 0x1p-50))} {}

DiscreteGaussianChannel::DiscreteGaussianChannel(Grid grid, Epsilon epsilon, Delta delta)
    : DiscreteGaussianChannel(grid, gaussian_variance(grid.steps(), epsilon, delta), epsilon, delta) {}

DiscreteGaussianChannel::DiscreteGaussianChannel(Grid grid, Rho rho)
    : DiscreteGaussianChannel(grid, gaussian_variance(grid.steps(), rho), Guarantee().epsilon, Delta(0)) {
  guarantee_.rho = rho;
}

GaussianChannel::GaussianChannel(Interval domain, Rho rho)
    : domain_(Grid(domain, 1).domain()),
      guarantee_{Guarantee().epsilon, Delta(0), rho},
      scale_(domain.width() / std::sqrt(2 * rho.value())) {
  if (!(scale_ > 0) || !std::isfinite(scale_)) {
    throw Error(ErrorCode::configuration, "the Gaussian channel needs a finite rho > 0");
  }
}

GaussianChannel::GaussianChannel(Interval domain, Epsilon epsilon, Delta delta)
    : GaussianChannel(domain, gaussian_rho(epsilon, delta)) {
  guarantee_.epsilon = epsilon;
  guarantee_.delta = delta;
}

}  // namespace sotto
