// Normal probabilities of intervals and draws from them, accurate far in the tails.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// log P(X > x) for a standard normal X. Beyond x = 25 by the asymptotic series, off by less than 105 / x^8.
inline double log_upper_tail(double x) {
  if (x < 25) return std::log(0.5 * std::erfc(x / std::numbers::sqrt2));
  if (x == HUGE_VAL) return -HUGE_VAL;
  const double inverse = 1 / (x * x);
  return -0.5 * x * x - std::log(x * std::sqrt(2 * std::numbers::pi)) +
         std::log1p(-inverse * (1 - inverse * (3 - 15 * inverse)));
}

/// log P(a < X < b) for a standard normal X; -infinity when a >= b. Infinite ends are allowed.
inline double log_interval(double a, double b) {
  if (!(a < b)) return -HUGE_VAL;
  if (b < 0) return log_interval(-b, -a);
  if (a <= 0) return std::log(0.5 * (std::erf(b / std::numbers::sqrt2) - std::erf(a / std::numbers::sqrt2)));
  // Both above zero: from the tail, or for short intervals from the density at the middle.
  const double width = b - a;
  if (width * (1 + b) < 1e-5) {
    const double middle = a + width / 2;
    return -0.5 * middle * middle + std::log(width / std::sqrt(2 * std::numbers::pi));
  }
  const double tail = log_upper_tail(a);
  return tail + std::log1p(-std::exp(log_upper_tail(b) - tail));
}

/// A standard normal conditioned on [a, b], a < b, exactly.
/// Source     [Rob95]: the normal, the uniform or the exponential distribution as the envelope
inline double draw_standard_in(double a, double b, ChainRng& rng) {
  if (b < 0) return -draw_standard_in(-b, -a, rng);
  if (a <= 0) {
    if (b - a > 1.5) {
      for (;;)
        if (const double x = rng.normal(); x >= a && x <= b) return x;
    }
    for (;;) {
      const double x = a + (b - a) * rng.uniform();
      if (positive_uniform(rng) <= std::exp(-0.5 * x * x)) return x;
    }
  }
  if (a < 0.5 && b - a > 1) {
    for (;;)
      if (const double x = std::abs(rng.normal()); x >= a && x <= b) return x;
  }
  if ((b - a) * a < 1 && b - a < 1) {
    for (;;) {
      const double x = a + (b - a) * rng.uniform();
      if (positive_uniform(rng) <= std::exp(-0.5 * (x * x - a * a))) return x;
    }
  }
  const double rate = 0.5 * (a + std::sqrt(a * a + 4));
  for (;;) {
    const double x = a - std::log(positive_uniform(rng)) / rate;
    if (x <= b && positive_uniform(rng) <= std::exp(-0.5 * (x - rate) * (x - rate))) return x;
  }
}

/// A normal conditioned on [lower, upper]; the ends may be infinite.
inline double draw_normal_in(double mean, double sd, double lower, double upper, ChainRng& rng) {
  const double y = mean + sd * draw_standard_in((lower - mean) / sd, (upper - mean) / sd, rng);
  return std::fmin(std::fmax(y, lower), upper);
}

}  // namespace sotto::mixture
