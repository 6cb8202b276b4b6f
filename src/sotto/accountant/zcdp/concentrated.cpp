#include "sotto/accountant/zcdp/concentrated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace sotto {
namespace {

constexpr double kTotalRoundUp = 1 + 1e-12;

// Log of the bound at order 1 + t, rounding included: (1 + t) log(1 - 1 / (1 + t)) - log t is t log t - (1 + t) log(1 + t), which is
// the better known of the two below t = 1.
double log_delta_at(double rho, double epsilon, double t) {
  const double a = 1 + t;
  const std::array<double, 4> terms = {t * a * rho, -t * epsilon,
                                       t < 1 ? t * std::log(t) : a * std::log1p(-1 / a),
                                       t < 1 ? -a * std::log1p(t) : -std::log(t)};
  double sum = 0;
  double size = 0;
  for (const double term : terms) sum += term, size += std::abs(term);
  return sum + 2e-15 * size;
}

// The order less one, by golden section in its logarithm, up to `most` of that, where a bound that has one lowest place is least.
template <class Bound>
double best_order(double most, const Bound& bound) {
  constexpr double golden = 0.6180339887498949;
  double low = -40;
  double high = most;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = bound(std::exp(left));
  double at_right = bound(std::exp(right));
  while (high - low > 1e-9) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = bound(std::exp(left));
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = bound(std::exp(right));
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace

std::optional<double> concentrated_rho(const Event& event, Adjacency adjacency) {
  double total = 0;
  for (const Event& leaf : flatten(event)) {
    const View<double> rho = rho_view(leaf, adjacency);
    if (!rho.is_known()) return std::nullopt;
    total += rho.value() * static_cast<double>(leaf.count);
  }
  return total * kTotalRoundUp;
}

double concentrated_delta(double rho, double epsilon) {
  if (rho == 0) return 0;
  if (std::isinf(rho)) return 1;
  if (std::isinf(epsilon)) return 0;
  // The logarithm is unimodal in a [CKS20].
  const double most = std::log(std::max((epsilon + 1) / (2 * rho), 1.0)) + 20;
  const double best =
      log_delta_at(rho, epsilon, best_order(most, [&](double t) { return log_delta_at(rho, epsilon, t); }));
  return std::min(1.0, std::exp(best + 1e-13 * std::abs(best)) * (1 + 1e-15) + 1e-305);
}

double concentrated_epsilon(double rho, double delta) {
  if (rho == 0 || delta >= 1) return 0;
  if (delta < 1e-300 || std::isinf(rho)) return std::numeric_limits<double>::infinity();
  // Every order gives an epsilon; where delta at each epsilon has one lowest place in a, so has epsilon at this delta.
  const double log_delta = std::log(delta);
  const auto at = [&](double t) {
    return (1 + t) * rho + std::log(t) - std::log1p(t) - (log_delta + std::log1p(t)) / t;
  };
  const double most = std::log(std::max((rho + 2 * std::sqrt(-rho * log_delta) + 1) / rho, 1.0)) + 20;
  const double t = best_order(most, at);
  // Rounding here, and what concentrated_delta adds for its own.
  const double error = 1e-14 * ((1 + t) * rho + std::abs(std::log(t)) + std::log1p(t)) +
                       (3e-12 - 3e-13 * log_delta + 1e-14 * std::log1p(t) + 2e-305 / delta) / t;
  return std::max(at(t) + error, 0.0);
}

std::optional<double> concentrated_delta(const Event& event, Adjacency adjacency, double epsilon) {
  double least = 1;
  for (const KeptBack& kept : kept_back(event)) {
    const std::optional<double> rho = concentrated_rho(kept.event, adjacency);
    if (!rho) return std::nullopt;
    least = std::min(least, kept.all(concentrated_delta(*rho, epsilon), Side::upper));
  }
  return least;
}

std::optional<double> concentrated_epsilon(const Event& event, Adjacency adjacency, double delta) {
  double least = std::numeric_limits<double>::infinity();
  for (const KeptBack& kept : kept_back(event)) {
    const std::optional<double> rho = concentrated_rho(kept.event, adjacency);
    if (!rho) return std::nullopt;
    const double left = kept.left(delta, Side::upper);
    if (left > 0 || kept.given_away == 0) least = std::min(least, concentrated_epsilon(*rho, left));
  }
  return least;
}

}  // namespace sotto
