// Independent draws from the posterior given pooled releases.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/posterior/anchor_residuals.hpp"
#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/displacement.hpp"
#include "sotto/posterior/edgeworth.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/sigma_posterior.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// prior(theta) N(score; G h, spread + score_variance I + v / 2 (|h|^2 I + h h')), see PooledRelease; h is phi where the score is
/// linear, else bent as the stand-in says. Times what an Edgeworth expansion adds. Of normal responses of unknown sigma also the density of the residuals' released squares.
struct PositionTarget {
  const PooledRelease& release;
  const Matrix& frame;
  const Displacement& displacement;
  const ResolvedPrior& prior;
  const std::optional<SigmaPosterior>& sigma;
  const AnchorResiduals& residuals;  ///< where sigma is unknown
  const std::optional<Edgeworth>& edgeworth;
};

/// Where the target's mass is, about: of phi, in the coordinates in which the score's spread is diagonal.
struct PositionBase {
  Position mean;
  Matrix covariance;
};

/// Fitted to chains that take some slices, as many as `least`, or ten a dimension up to a thousand and two from there.
[[nodiscard]] PositionBase fit_base(const PositionTarget& target, Eigen::Index least, ChainRng& rng);

struct DrawnPositions {
  Matrix positions;  ///< shape (draws, dim)
  bool settled;  ///< the chains' mean log density stayed where it was over the second half of their slices
};

/// Each position is the end of a chain of its own, which takes slices around the base: any base is right, a near one is fast.
///
/// Source     [NMA14] for slices, and along rays from the base's mean, and of a group's deviations [N03]
/// Holds when the weighted score is near normal, and bends in theta as the stand-in's does over the posterior's width
/// Checked by tests/posterior/once_sampler_test.cpp: draws_from_its_target
[[nodiscard]] DrawnPositions draw_positions(const PositionTarget& target, const PositionBase& base,
                                            Eigen::Index draws, ChainRng& rng);

}  // namespace sotto
