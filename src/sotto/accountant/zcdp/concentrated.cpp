#include "sotto/accountant/zcdp/concentrated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kTotalRoundUp = 1 + 1e-12;

// log of the bound at order a.
double log_delta_at(double rho, double epsilon, double a) {
  return (a - 1) * (a * rho - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1);
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
  // The logarithm is unimodal in a [CKS20]: golden section in log(a - 1).
  double low = -20;
  double high = std::log(std::max((epsilon + 1) / (2 * rho), 1.0)) + 20;
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 200; ++i) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    const bool go_left =
        log_delta_at(rho, epsilon, 1 + std::exp(left)) < log_delta_at(rho, epsilon, 1 + std::exp(right));
    (go_left ? high : low) = go_left ? right : left;
  }
  const double best = log_delta_at(rho, epsilon, 1 + std::exp((low + high) / 2));
  return std::min(1.0, std::exp(best + 1e-13 * std::abs(best)) * kTotalRoundUp + 1e-305);
}

double concentrated_epsilon(double rho, double delta) {
  if (rho == 0 || delta >= 1) return 0;
  if (delta < 1e-300 || std::isinf(rho)) return std::numeric_limits<double>::infinity();
  if (concentrated_delta(rho, 0) <= delta) return 0;
  double low = 0;
  double high = rho + 2 * std::sqrt(-rho * std::log(delta)) + 1;
  while (concentrated_delta(rho, high) > delta) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (concentrated_delta(rho, middle) <= delta ? high : low) = middle;
  }
  return high;
}

std::optional<double> concentrated_delta(const Event& event, Adjacency adjacency, double epsilon) {
  const KeptBack kept = kept_back(event);
  const std::optional<double> rho = concentrated_rho(kept.event, adjacency);
  if (!rho) return std::nullopt;
  return kept.all(concentrated_delta(*rho, epsilon), Side::upper);
}

std::optional<double> concentrated_epsilon(const Event& event, Adjacency adjacency, double delta) {
  const KeptBack kept = kept_back(event);
  const std::optional<double> rho = concentrated_rho(kept.event, adjacency);
  if (!rho) return std::nullopt;
  const double left = kept.left(delta, Side::upper);
  return left > 0 || kept.given_away == 0 ? concentrated_epsilon(*rho, left)
                                          : std::numeric_limits<double>::infinity();
}

}  // namespace sotto
