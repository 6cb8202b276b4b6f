// Independent draws from the posterior given pooled releases.
#pragma once

#include <cstdint>

#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

struct DrawnPositions {
  Matrix positions;  ///< shape (draws, dim)
  bool settled;  ///< the chains' mean log density stayed where it was over the second half of their slices
};

/// Each position is the end of a chain of its own, which takes slices around a base fitted to all of them.
///
/// Target     prior(theta) N(score; G phi, spread + score_variance I + v / 2 (|phi|^2 I + phi phi')), see PooledRelease
/// Source     [NMA14] for slices, and along rays from the base's mean [N03]
/// Holds when the weighted score is near normal and linear in theta over the posterior's width, which many rows, or noise
///            that dwarfs the curvature, bring about
/// Checked by tests/posterior/once_sampler_test.cpp: draws_from_its_target
[[nodiscard]] DrawnPositions draw_positions(const PooledRelease& release, const Matrix& frame,
                                            const ResolvedPrior& prior, Eigen::Index draws, ChainRng& rng);

}  // namespace sotto
