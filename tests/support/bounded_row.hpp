// The arithmetic of release/regression_query.hpp for one row, written as plainly as can be: what the passes are tested against.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/math/mean_function.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto::testing_reference {

/// log P(Y = y) for counts of mean m and variance m + dispersion m^2.
inline double log_count_probability(double y, double m, double dispersion) {
  if (dispersion == 0) return y * std::log(m) - m - std::lgamma(y + 1);
  const double size = 1 / dispersion;
  return std::lgamma(y + size) - std::lgamma(size) - std::lgamma(y + 1) - size * std::log1p(m / size) +
         y * std::log(m / (m + size));
}
/// E clip(Y, low, high), summed until nothing is left.
inline double count_clip(double m, double dispersion, double low, double high) {
  double sum = 0;
  double mass = 0;
  for (double y = 0; y < 1e6 && (y < m || mass < 1 - 1e-13); ++y) {
    const double p = std::exp(log_count_probability(y, m, dispersion));
    sum += p * std::clamp(y, low, high);
    mass += p;
    if (y > m && p < 1e-18) break;
  }
  return sum / mass;
}

struct BoundedResidual {
  double psi, largest, slope, largest_slope;
};

inline double mean_at(Link link, double eta) {
  if (link == Link::logit) return 1 / (1 + std::exp(-eta));
  return link == Link::identity ? eta : std::exp(std::clamp(eta, -30.0, 30.0));
}

/// Counts: by the sums over all counts.
inline BoundedResidual bounded_residual(Link link, double y, double m, double h, double dispersion = 0) {
  switch (link) {
    case Link::logit:
      return {y - m, std::max(m, 1 - m), m * (1 - m), m * (1 - m)};
    case Link::identity:
      return {std::clamp(y - m, -h, h), h, std::abs(y - m) < h ? 1.0 : 0.0, 1};
    case Link::log:
    case Link::log_rate:
      break;
  }
  const double reach = h * std::max(1.0, std::sqrt(m + dispersion * m * m));
  const double low = std::max(m - reach, 0.0);
  const double high = m + reach;
  const double expected = count_clip(m, dispersion, low, high);
  const double step = 1e-4 * std::max(m, 1e-3);
  const double slope = std::max(
      m * (count_clip(m + step, dispersion, low, high) - count_clip(m - step, dispersion, low, high)) /
          (2 * step),
      1e-12);
  return {std::clamp(y, low, high) - expected, std::max(high - expected, expected - low), slope, slope};
}

}  // namespace sotto::testing_reference
