// Gamma, beta and Dirichlet variates from a chain's stream.
#pragma once

#include <boost/random/gamma_distribution.hpp>
#include <cmath>
#include <span>

#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Uniform on (0, 1]: safe under a logarithm.
inline double positive_uniform(ChainRng& rng) { return 1 - rng.uniform(); }

/// Gamma(shape, rate), shape > 0. May underflow to 0 for tiny shapes.
inline double draw_gamma(double shape, double rate, ChainRng& rng) {
  return boost::random::gamma_distribution<double>(shape, 1 / rate)(rng);
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
  const double x = draw_log_gamma(a, rng);
  const double y = draw_log_gamma(b, rng);
  return 1 / (1 + std::exp(y - x));
}

/// Turns concentration parameters (all > 0) into a Dirichlet draw, in place.
inline void draw_dirichlet(std::span<double> weights, ChainRng& rng) {
  double total = 0;
  for (double& weight : weights) total += weight = draw_gamma(weight, 1, rng);
  for (double& weight : weights) weight /= total;
}

}  // namespace sotto::mixture
