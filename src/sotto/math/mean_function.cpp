#include "sotto/math/mean_function.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sotto {
namespace {

// Trapezoidal rule on [-7, 7]: exponentially accurate for an analytic integrand. The logistic function's poles lie at
// +-i pi / s, s the standard deviation, so the error is exp(-2 pi^2 / (step s)), here e^-18, up to a step of 0.7, where that
// of the normal density, exp(-2 pi^2 / step^2), is e^-40.
constexpr double kReach = 7;
constexpr double kLargestStep = 0.7;
constexpr double kLeastStep = 0.02;
constexpr double kStepTimesSd = 1.1;

constexpr double kLargestLogOdds = 600;  // exp of it is far from overflow

/// Of a mean eta on either side: exp(eta), which is the odds.
using Odds = Eigen::Array2d;

Odds odds_of(double below, double above) {
  return Odds(below, above).cwiseMax(-kLargestLogOdds).cwiseMin(kLargestLogOdds).exp();
}

/// The logistic function and its derivatives, times a weight.
void add(const Odds& odds, double weight, std::array<Odds, 4>& sums) {
  const Odds without = (1 + odds).inverse();
  const Odds with = odds * without;
  const Odds slope = weight * with * without;
  const Odds skew = without - with;
  sums[0] += weight * with;
  sums[1] += slope;
  sums[2] += slope * skew;
  sums[3] += slope * (skew.square() - 2 * with * without);
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
  // From the middle outwards: odds are a geometric sequence, and so are the ratios of the normal density at one node and the next.
  const bool geometric = std::abs(mean) + kReach * sd < kLargestLogOdds;
  const Odds ratio = odds_of(-sd * step, sd * step);
  const double fall = std::exp(-step * step);
  double next = std::exp(-step * step / 2);
  double weight = step / std::sqrt(2 * std::numbers::pi);
  Odds odds = odds_of(mean, mean);
  std::array<Odds, 4> sums{Odds::Zero(), Odds::Zero(), Odds::Zero(), Odds::Zero()};
  add(odds, weight / 2, sums);  // both sides
  for (int k = 1; k <= half; ++k) {
    odds = geometric ? Odds(odds * ratio) : odds_of(mean - sd * step * k, mean + sd * step * k);
    weight *= next;
    next *= fall;
    add(odds, weight, sums);
  }
  return {sums[0].sum(), sums[1].sum(), sums[2].sum(), sums[3].sum()};
}

}  // namespace sotto
