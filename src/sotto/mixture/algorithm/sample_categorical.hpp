// One of several, by logarithms of weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// j with probability proportional to exp(weights[j]); the largest is finite. The weights are spoilt.
inline std::size_t sample_categorical(std::span<double> weights, ChainRng& rng) {
  if (weights.size() == 1) return 0;
  const double top = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - top);
  double at = rng.uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < weights.size() && (at -= weights[chosen]) >= 0) ++chosen;
  return chosen;
}

}  // namespace sotto::mixture
