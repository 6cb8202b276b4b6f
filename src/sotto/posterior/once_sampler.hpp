// Draws from the posterior given a release-once release: position and true information jointly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/posterior/once_release.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

struct OnceSampling {
  std::size_t chains = 4;
  std::size_t warmup = 100;
  std::size_t draws = 1000;  ///< of each chain
  std::size_t thin = 4;      ///< sweeps per draw
  std::uint64_t seed = 1;
};

/// The log of the prior over its normal stand-in, at a position; empty when the prior is that normal.
using PriorRatio = std::function<double(const Position&)>;

struct OncePosterior {
  std::vector<Chain> chains;  ///< positions, one row per draw
  /// Predicted from the releases: each coordinate's sd over the sd of the posterior without noise and weights.
  Position sd_inflation;
  double
      weight_kept;  ///< sum of squared weights over sum of weights, as released; 1 when no row is weighted down
};

/// Gibbs sampling: the information by an elliptical slice [MAM10] within the cone of positive definite matrices, then the
/// position exactly (normal prior) or by an elliptical slice. Touches released values only.
///
/// Target     prior(theta) Wishart(G; expected_weight, mean expected) N(information; G, noise) N(score; G phi, ratio G + noise I)
/// Holds when the weighted score is near normal and linear in theta over the posterior's width (third-order terms are
///            left out), which many rows bring about
/// Checked by tests/posterior/once_sampler_test.cpp, tests/statistical/release_once_test.cpp
[[nodiscard]] OncePosterior sample_once(const OnceRelease& release, const NormalPrior& prior,
                                        const PriorRatio& ratio, const OnceSampling& sampling);

}  // namespace sotto
