#include "sotto/accountant/zcdp/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

using Wide = long double;

constexpr Wide kSqrtPi = 1.772453850905516027298167483341145182798L;

// e^(x^2) erfc(x) for x >= 0; a continued fraction takes over where it has converged.
Wide scaled_erfc(Wide x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  Wide tail = 0;
  for (int k = 40; k >= 1; --k) tail = k / 2.0L / (x + tail);
  return 1 / (kSqrtPi * (x + tail));
}

// Relative error of one scaled_erfc, and of erfc, in `Wide` arithmetic with a margin of ten.
constexpr Wide kTermError = 5e-16L;
// Relative error of the common factor exp(-a^2) and of the sums, with a wide margin.
constexpr Wide kRelativeError = 1e-11L;
constexpr double kTiny = 1e-307;

}  // namespace

Bounds gaussian_delta_bounds(Rho rho, Epsilon epsilon) {
  const Wide m = rho.value();
  const Wide e = epsilon.value();
  if (m == 0) return {0, 0};
  if (std::isinf(m)) return {1, 1};
  if (std::isinf(e)) return {0, 0};
  const Wide root = 2 * std::sqrt(m);
  const Wide a = (e - m) / root;
  const Wide b = (e + m) / root;
  if (a > 1e4L) return {0, kTiny};
  // e^epsilon erfc(b) = e^(-a^2) scaled_erfc(b), because epsilon - b^2 = -a^2.
  const Wide weight = std::exp(-a * a);
  const Wide first = a > 0 ? weight * scaled_erfc(a) : std::erfc(a);
  const Wide delta =
      a > 0 ? weight * (scaled_erfc(a) - scaled_erfc(b)) / 2 : (first - weight * scaled_erfc(b)) / 2;
  const Wide error = delta * kRelativeError + first * kTermError;
  const double lower = static_cast<double>(delta - error);
  return {lower < kTiny ? 0 : std::min(lower, 1.0),
          std::min(static_cast<double>(delta + error) + kTiny, 1.0)};
}

Delta gaussian_delta(Rho rho, Epsilon epsilon) { return Delta(gaussian_delta_bounds(rho, epsilon).upper); }

namespace {

// Neighbouring doubles low < high with delta(low) > target >= delta(high), for a decreasing delta(epsilon).
template <class Curve>
Bounds crossing(const Curve& delta_at, double target, double guess) {
  double low = 0;
  double high = guess;
  while (delta_at(high) > target) high *= 2;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return {low, high};
    (delta_at(middle) <= target ? high : low) = middle;
  }
}

}  // namespace

Bounds gaussian_epsilon_bounds(Rho rho, Delta delta) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double target = delta.value();
  if (rho.value() == 0 || target >= 1) return {0, 0};
  if (target == 0 || std::isinf(rho.value())) return {infinity, infinity};
  const double guess = rho.value() + 2 * std::sqrt(-rho.value() * std::log(target)) + 1;  // the zCDP bound
  const auto upper_at = [&](double e) { return gaussian_delta_bounds(rho, Epsilon(e)).upper; };
  const auto lower_at = [&](double e) { return gaussian_delta_bounds(rho, Epsilon(e)).lower; };
  Bounds result{0, 0};
  if (target < kTiny) {
    result.upper = infinity;
  } else if (upper_at(0) > target) {
    result.upper = crossing(upper_at, target, guess).upper;
  }
  if (lower_at(0) > target) result.lower = crossing(lower_at, target, guess).lower;
  return result;
}

Epsilon gaussian_epsilon(Rho rho, Delta delta) { return Epsilon(gaussian_epsilon_bounds(rho, delta).upper); }

Rho gaussian_rho(Epsilon epsilon, Delta delta) {
  if (delta.value() >= 1 || std::isinf(epsilon.value())) return Rho(std::numeric_limits<double>::max());
  if (delta.value() == 0) return Rho(0);
  double low = 0;
  double high = 1;
  while (gaussian_delta(Rho(high), epsilon) <= delta) high *= 2;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return Rho(low);
    (gaussian_delta(Rho(middle), epsilon) <= delta ? low : high) = middle;
  }
}

}  // namespace sotto
