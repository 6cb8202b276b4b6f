// The posterior of a release-once fit: draws, and how much wider than without noise each coefficient is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/posterior/once_release.hpp"

namespace sotto {

struct OnceSampling {
  std::size_t chains = 4;
  std::size_t draws = 1000;  ///< of each chain
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  /// Told how many draws each chain has, now and then; false ends the sampling with those.
  std::function<bool(std::size_t)> progress = {};
};

struct OncePosterior {
  std::vector<Chain> chains;  ///< positions, one row per draw; log(sigma) behind them where sigma is unknown
  /// Predicted from the releases: each coefficient's sd over the sd of the posterior without noise, weights and clips.
  Position sd_inflation;
  /// Of the linear predictor over the rows, in its unit: the posterior's standard deviation, and how far its mean lies from
  /// the position of the last score.
  double predictor_sd = 0, predictor_move = 0;
  /// Each coefficient's mean less its prior's, over the prior's standard deviation; 0 where the prior is flat.
  Position prior_distance;
  /// Each coefficient's standard deviation over its prior's; 0 where the prior is flat.
  Position prior_share;
  std::vector<double> log_prior;  ///< of all draws, chain by chain: of the coefficients' own priors
  Position prior_sensitivity;     ///< of each coefficient, see prior_sensitivity.hpp
  bool settled = true;            ///< the sampler has converged, see once_sampler.hpp
};

/// The coefficients' posterior covariance without noise, weights and clips: the released information, less what those took.
[[nodiscard]] Matrix clear_covariance(const OnceRelease& release);

[[nodiscard]] OncePosterior sample_once(const OnceSettings& settings, const OnceRelease& release,
                                        const OnceSampling& sampling);

}  // namespace sotto
