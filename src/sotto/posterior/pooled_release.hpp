// The rounds of score and information that a posterior is computed from, carried to one position and pooled.
#pragma once

#include <optional>
#include <vector>

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/frame.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/stand_in.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// What was released at one position.
struct OnceRound {
  Position at;
  BoundsPlan plan;
  NoisyMatrix information;
  NoisyMatrix squares;
  NoisyVector score;
  std::optional<NoisyVector> residual_squares;  ///< normal responses
};

/// Everything the posterior is computed from, in the coordinates phi = frame^-T (theta - anchor):
///   score ~ N(G phi, spread + score_variance I + v / 2 (|phi|^2 I + phi phi')),  G `information`, v `information_variance`.
/// The last term is the information's noise, integrated out.
struct PooledRelease {
  Position anchor;
  Position score;
  double score_variance = 0;
  Matrix doubt;  ///< of the score beyond that, in some directions: earlier scores were carried to the anchor
  Matrix information;  ///< shrunk towards a multiple of the identity, positive definite
  double information_variance = 0;
  Matrix spread;  ///< sampling covariance of the score: released squares, shrunk towards what the model says
  double dispersion = 1;    ///< trace of the spread over that of the information
  double kept = 1;          ///< 1 - how far the information was shrunk
  bool unresolved = false;  ///< the information's noise hides some direction
  double level = 0;         ///< mean eigenvalue of the information
  /// Of normal responses: phi moves the linear predictor over the rows by a mean square of phi' G phi over this. In a resolved frame
  /// G's mean eigenvalue, as the rows' second moments have one of 1; in another what G would have for each of the rows without
  /// weights, where that is more: small rather than large.
  double square_level = 0;
  double level_ratio = 1;  ///< released level, four standard deviations up, over the expected one
  /// Of earlier scores with the last: how likely their distance is, or more, less a sampling standard deviation of one direction.
  std::vector<double> agreement;
};

/// `rounds`: at least one, all in `frame`; the last one's position is the anchor. Where the frame is not resolved the information may be
/// far from a multiple of the identity. `weights`: of the stand-in's parts, in the last round: what they leave moves scores and informations
/// of other positions to the anchor, and says in which directions squares fall short of informations.
[[nodiscard]] PooledRelease pool(const std::vector<OnceRound>& rounds, const Frame& frame,
                                 const StandIn& stand_in, const Position& weights);

/// Covariance of the score around its mean, with `products` in the place of phi phi', and the spread times `level`.
[[nodiscard]] Matrix score_covariance(const PooledRelease& release, const Matrix& products, double level = 1);

/// The normal distribution that replaces |phi|^2 and phi phi' by their posterior means: the sampler's base.
struct NormalBase {
  Position mean;
  Matrix covariance;
};
[[nodiscard]] NormalBase normal_base(const PooledRelease& release, const Matrix& frame,
                                     const JointNormalPrior& prior);

}  // namespace sotto
