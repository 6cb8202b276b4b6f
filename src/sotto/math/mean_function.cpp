#include "sotto/math/mean_function.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <vector>

namespace sotto {
namespace {

// Trapezoidal rule on [-7, 7]: exponentially accurate for an analytic integrand. The logistic function's poles lie at
// +-i pi / s, s the standard deviation, so the error is exp(-2 pi^2 / (step s)), here e^-18, up to a step of 0.7, where that
// of the normal density, exp(-2 pi^2 / step^2), is e^-40.
constexpr double kReach = 7;
constexpr double kLargestStep = 0.7;
constexpr double kLeastStep = 0.02;
constexpr double kStepTimesSd = 1.1;

std::array<double, 4> logistic_derivatives(double eta) {
  const double e = std::exp(-std::abs(eta));
  const double p = (eta < 0 ? e : 1.0) / (1 + e);
  const double v = e / ((1 + e) * (1 + e));
  const double skew = 1 - 2 * p;
  return {p, v, v * skew, v * (skew * skew - 2 * v)};
}

/// Of the nodes 0, step, 2 step .. within reach.
std::vector<double> node_weights(double step) {
  std::vector<double> weights;
  const auto half = static_cast<int>(kReach / step);
  for (int k = 0; k <= half; ++k) {
    const double t = step * k;
    weights.push_back(step * std::exp(-t * t / 2) / std::sqrt(2 * std::numbers::pi));
  }
  return weights;
}

}  // namespace

std::array<double, 4> MeanFunction::moments(double mean, double variance) const {
  switch (link) {
    case Link::identity:
      return {precision * mean, precision, 0, 0};
    case Link::log:
    case Link::log_rate: {
      const double value = std::exp(mean + variance / 2);
      return {value, value, value, value};
    }
    case Link::logit:
      break;
  }
  const double sd = std::sqrt(variance);
  if (!std::isfinite(mean) || !std::isfinite(sd)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone, kNone, kNone};
  }
  const double step = std::clamp(kStepTimesSd / sd, kLeastStep, kLargestStep);
  const auto half = static_cast<int>(kReach / step);
  static const std::vector<double> usual = node_weights(kLargestStep);
  const std::vector<double> own = step < kLargestStep ? node_weights(step) : std::vector<double>();
  const std::vector<double>& weights = own.empty() ? usual : own;
  std::array<double, 4> total{};
  for (int k = -half; k <= half; ++k) {
    const double weight = weights[static_cast<std::size_t>(std::abs(k))];
    const std::array<double, 4> value = logistic_derivatives(mean + sd * step * k);
    for (std::size_t i = 0; i < 4; ++i) total[i] += weight * value[i];
  }
  return total;
}

}  // namespace sotto
