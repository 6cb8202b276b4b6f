#include "sotto/accountant/pld/saddle_point.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

constexpr double kLeastLogTilt = -40;
constexpr double kMostLogTilt = 60;
constexpr double kMostExponent = 1e7;  // tilt times loss
constexpr double kLeastLogTerm = -50;  // logarithm of a term of a moment over the largest

SaddlePoint saddle_at(const Cumulant& cumulant, double t) {
  const auto k = cumulant.at(t);
  const double epsilon = k.k1 - 1 / t - 1 / (1 + t);
  const double curvature = k.k2 + 1 / (t * t) + 1 / ((1 + t) * (1 + t));
  return {t, epsilon,
          k.k0 - t * epsilon - std::log(t) - std::log1p(t) - 0.5 * std::log(2 * M_PI * curvature)};
}

// The saddle's epsilon increases with t and its log delta decreases: bisect in log t until `too_far` flips.
// A tilt that has gathered the probability at the largest loss is strong enough.
template <class TooFar>
SaddlePoint bisect(const Cumulant& cumulant, const TooFar& too_far) {
  double low = kLeastLogTilt;
  double high = kMostLogTilt;
  const double room = 0.01 * (cumulant.largest() - cumulant.at(0).k1);
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    const double t = std::exp(middle);
    const SaddlePoint saddle = saddle_at(cumulant, t);
    const double mean = saddle.epsilon + 1 / t + 1 / (1 + t);
    const double left = cumulant.largest() - mean;
    const bool gathered = left * t < 0.01 && left < room;
    const bool lost_to_rounding = std::abs(mean) * t > kMostExponent;
    (too_far(saddle) || gathered || lost_to_rounding ? high : low) = middle;
  }
  return saddle_at(cumulant, std::exp((low + high) / 2));
}

struct Edge {
  double loss;
  double rate;
};

// The least (K(t + s) - K(t) + exponent) / s over s > 0 (or the like for s < 0), by golden section in log
// |s|.
Edge chernoff_edge(const Cumulant& cumulant, double tilt, double exponent, double sign) {
  const auto here = cumulant.at(tilt);
  const double scale = 1 / std::sqrt(std::max(here.k2, 1e-300));
  const auto edge = [&](double log_s) {
    const double s = scale * std::exp(log_s);
    return (cumulant.at(tilt + sign * s).k0 - here.k0 + exponent) / s;
  };
  constexpr double golden = 0.6180339887498949;
  double a = -8;
  double b = 8;
  double left = b - golden * (b - a);
  double right = a + golden * (b - a);
  double at_left = edge(left);
  double at_right = edge(right);
  for (int i = 0; i < 24; ++i) {
    if (at_left < at_right) {
      b = std::exchange(right, left);
      at_right = at_left;
      left = b - golden * (b - a);
      at_left = edge(left);
    } else {
      a = std::exchange(left, right);
      at_left = at_right;
      right = a + golden * (b - a);
      at_right = edge(right);
    }
  }
  return {sign * edge((a + b) / 2), sign * scale * std::exp((a + b) / 2)};
}

}  // namespace

void Cumulant::add(LossSketch sketch, double count) {
  if (sketch.loss.empty() || count == 0) return;
  largest_ += count * *std::max_element(sketch.loss.begin(), sketch.loss.end());
  smallest_ += count * *std::min_element(sketch.loss.begin(), sketch.loss.end());
  for (double& m : sketch.mass) m = std::log(m);  // `at` needs logarithms
  terms_.push_back({std::move(sketch), count});
}

Cumulant::Values Cumulant::at(double t) const {
  Values sum{0, 0, 0};
  for (const Term& term : terms_) {
    const auto& loss = term.sketch.loss;
    const auto& log_mass = term.sketch.mass;
    double top = -1e308;
    for (std::size_t i = 0; i < loss.size(); ++i) top = std::max(top, t * loss[i] + log_mass[i]);
    double m0 = 0;
    double m1 = 0;
    double m2 = 0;
    for (std::size_t i = 0; i < loss.size(); ++i) {
      const double away = t * loss[i] + log_mass[i] - top;
      if (away < kLeastLogTerm) continue;
      const double weight = std::exp(away);
      m0 += weight;
      m1 += weight * loss[i];
      m2 += weight * loss[i] * loss[i];
    }
    const double mean = m1 / m0;
    sum.k0 += term.count * (top + std::log(m0));
    sum.k1 += term.count * mean;
    sum.k2 += term.count * std::max(m2 / m0 - mean * mean, 0.0);
  }
  return sum;
}

SaddlePoint saddle_for_epsilon(const Cumulant& cumulant, double epsilon) {
  return bisect(cumulant, [&](const SaddlePoint& s) { return s.epsilon > epsilon; });
}

SaddlePoint saddle_for_delta(const Cumulant& cumulant, double delta) {
  const double target = std::log(delta);
  const SaddlePoint saddle = bisect(cumulant, [&](const SaddlePoint& s) { return s.log_delta < target; });
  return saddle.epsilon < 0 ? saddle_for_epsilon(cumulant, 0) : saddle;
}

double log_integrand(const Cumulant& cumulant, double tilt, double epsilon) {
  return cumulant.at(tilt).k0 - tilt * epsilon - std::log(tilt) - std::log1p(tilt);
}

LossWindow window_around(const Cumulant& cumulant, double tilt, double exponent) {
  const Edge high = chernoff_edge(cumulant, tilt, exponent, 1);
  const Edge low = chernoff_edge(cumulant, tilt, exponent, -1);
  return {std::max(low.loss, cumulant.smallest()), std::min(high.loss, cumulant.largest()), low.rate,
          high.rate};
}

}  // namespace sotto
