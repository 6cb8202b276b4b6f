#include "sotto/math/binomial_tail.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto {
namespace {

constexpr double kLeast = 1e-300;  // stands for what a double cannot hold
constexpr double kRounding = 1e-14;

// (1 + e) log(1 + e) - e for e > -1.
double deviance(double e) { return (1 + e) * std::log1p(e) - e; }

double round_up(double tail) { return std::clamp(tail * (1 + kRounding), kLeast, 1.0); }

}  // namespace

double binomial_tail(std::uint64_t trials, double rate, std::uint64_t least) {
  if (least == 0) return 1;
  if (least > trials || rate == 0) return 0;
  if (rate == 1) return 1;
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(least);
  if (least == 1) return round_up(-std::expm1(n * std::log1p(-rate)));
  const double away = std::fma(-n, rate, k);
  if (!(away > 0)) return 1;
  if (least == trials) {
    const double log_tail = n * std::log(rate);
    return round_up(std::exp(log_tail * (1 - kRounding)));
  }
  // n KL(k/n, rate) as two terms >= 0: log1p's cancellations cost rounding errors of `away`.
  const double exponent =
      n * rate * deviance(away / (n * rate)) + n * (1 - rate) * deviance(-away / (n * (1 - rate)));
  const double log_exactly =
      std::log(n / (k * (n - k) * 2 * std::numbers::pi)) / 2 - exponent + kRounding * (away + exponent);
  return round_up(std::exp(log_exactly) * (k + 1) * (1 - rate) / (away + 1 - rate));
}

}  // namespace sotto
