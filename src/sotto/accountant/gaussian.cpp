#include "sotto/accountant/gaussian.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

// e^(x^2) erfc(x) for x >= 0; a continued fraction takes over where erfc leaves the normal range.
double scaled_erfc(double x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  double tail = 0;
  for (int k = 40; k >= 1; --k) tail = k / 2.0 / (x + tail);
  return 1 / (std::sqrt(M_PI) * (x + tail));
}

// Far more than the rounding errors of the few operations below.
constexpr double kRoundUp = 1 + 1e-12;

}  // namespace

Delta gaussian_delta(Rho rho, Epsilon epsilon) {
  const double m = rho.value();
  const double e = epsilon.value();
  if (m == 0) return Delta(0);
  if (std::isinf(m)) return Delta(1);
  if (std::isinf(e)) return Delta(0);
  const double root = 2 * std::sqrt(m);
  const double a = (e - m) / root;
  const double b = (e + m) / root;
  // e^epsilon erfc(b) = e^(-a^2) scaled_erfc(b), because epsilon - b^2 = -a^2.
  const double weight = std::exp(-a * a);
  const double delta = a > 0 ? weight * (scaled_erfc(a) - scaled_erfc(b)) / 2
                             : (std::erfc(a) - weight * scaled_erfc(b)) / 2;
  const double error = a > 0 ? weight * scaled_erfc(b) : 1;
  return Delta(std::clamp(delta * kRoundUp + error * 1e-15, 0.0, 1.0));
}

Epsilon gaussian_epsilon(Rho rho, Delta delta) {
  if (rho.value() == 0 || delta.value() >= 1) return Epsilon(0);
  if (gaussian_delta(rho, Epsilon(0)) <= delta) return Epsilon(0);
  const double infinity = std::numeric_limits<double>::infinity();
  if (delta.value() == 0 || std::isinf(rho.value())) return Epsilon(infinity);
  double low = 0;
  double high = rho.value() + 2 * std::sqrt(rho.value() * std::log(1 / delta.value())) + 1;  // the zCDP bound
  while (gaussian_delta(rho, Epsilon(high)) > delta) high *= 2;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return Epsilon(high);
    (gaussian_delta(rho, Epsilon(middle)) <= delta ? high : low) = middle;
  }
}

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
