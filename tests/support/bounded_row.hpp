// The arithmetic of release/regression_query.hpp for one row, written as plainly as can be: what the passes are tested against.
#pragma once

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "sotto/math/mean_function.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto::testing_reference {

/// E min(Y, t) for Y ~ Poisson(mean).
inline double poisson_min(double mean, double t) {
  if (t <= 0) return t;
  const double k = std::floor(t);
  const auto cdf = [&](double j) { return j < 0 ? 0.0 : boost::math::gamma_q(j + 1, mean); };
  return mean * cdf(k - 1) + t * (1 - cdf(k));
}
inline double poisson_clip(double mean, double low, double high) {
  return poisson_min(mean, high) - poisson_min(mean, low) + low;
}

struct BoundedResidual {
  double psi, largest, slope, largest_slope;
};

inline double mean_at(Link link, double eta) {
  if (link == Link::logit) return 1 / (1 + std::exp(-eta));
  return link == Link::identity ? eta : std::exp(std::clamp(eta, -30.0, 30.0));
}

inline BoundedResidual bounded_residual(Link link, double y, double m, double h) {
  switch (link) {
    case Link::logit:
      return {y - m, std::max(m, 1 - m), m * (1 - m), m * (1 - m)};
    case Link::identity:
      return {std::clamp(y - m, -h, h), h, std::abs(y - m) < h ? 1.0 : 0.0, 1};
    case Link::log:
      break;
  }
  const double reach = h * std::max(1.0, std::sqrt(m));
  const double low = m - reach;
  const double high = m + reach;
  const double expected = poisson_clip(m, low, high);
  const double slope = std::max(m * (poisson_clip(m, low - 1, high - 1) + 1 - expected), 1e-12);
  return {std::clamp(y, low, high) - expected, std::max(high - expected, expected - std::max(low, 0.0)),
          slope, slope};
}

}  // namespace sotto::testing_reference
