// Gamma, beta and Dirichlet variates from a chain's stream.
#pragma once

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Uniform on (0, 1]: safe under a logarithm.
inline double positive_uniform(ChainRng& rng) { return 1 - rng.uniform(); }

/// Gamma(shape, rate), shape > 0. May underflow to 0 for tiny shapes.
/// Source     [MT00, sections 2 and 6]
/// Checked by tests/mixture/gamma_draws_test.cpp: follow_the_gamma_law
inline double draw_gamma(double shape, double rate, ChainRng& rng) {
  const double below_one = shape < 1 ? std::pow(positive_uniform(rng), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = rng.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = positive_uniform(rng);
    const double square = x * x;
    // The squeeze decides in 98 of 100 cases, without a logarithm.
    if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
      return below_one * d * v / rate;
  }
}

/// Logarithm of a Gamma(shape, 1) variate; exact also where the variate itself underflows.
/// Computes   log G(shape + 1) + log(U) / shape
/// Source     [MT00, section 6]
inline double draw_log_gamma(double shape, ChainRng& rng) {
  if (shape >= 1) return std::log(draw_gamma(shape, 1, rng));
  return std::log(draw_gamma(shape + 1, 1, rng)) + std::log(positive_uniform(rng)) / shape;
}

/// Beta(a, b).
inline double draw_beta(double a, double b, ChainRng& rng) {
  if (a >= 1 && b >= 1) {
    const double left = draw_gamma(a, 1, rng);
    return left / (left + draw_gamma(b, 1, rng));
  }
  const double x = draw_log_gamma(a, rng);
  const double y = draw_log_gamma(b, rng);
  return 1 / (1 + std::exp(y - x));
}

}  // namespace sotto::mixture
