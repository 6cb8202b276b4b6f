// Independent draws from the posterior given pooled releases.
#pragma once

#include <cstdint>

#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// `draws` positions, shape (draws, dim): each the end of a chain of its own, which starts at a draw of the normal base and
/// takes elliptical slices around it. All chains advance together: one product of matrices serves them all.
///
/// Target     prior(theta) N(score; G phi, spread + score_variance I + v / 2 (|phi|^2 I + phi phi')), see PooledRelease
/// Source     [MAM10]
/// Holds when the weighted score is near normal and linear in theta over the posterior's width, which many rows, or noise
///            that dwarfs the curvature, bring about
/// Checked by tests/posterior/once_sampler_test.cpp
[[nodiscard]] Matrix draw_positions(const PooledRelease& release, const Matrix& frame,
                                    const ResolvedPrior& prior, Eigen::Index draws, ChainRng& rng);

}  // namespace sotto
