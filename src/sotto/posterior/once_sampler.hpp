// Draws from the posterior given pooled releases.
#pragma once

#include <functional>

#include "sotto/posterior/position_density.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Chains side by side, each at a point, and as many images of normal draws, the other ends of the ellipses on which slices are taken.
///
/// A slice turns a point and an end on their ellipse. Chains and ends together have the density that is the target's times the ends' normal
/// ones; turns leave it as it is, and so does giving ends to other chains. So an end serves several chains, one after the other, before all are
/// drawn anew, which is dear: images are products with matrices.
///
/// Source     [MAM10] with the ends kept; [NMA14] for a base that is a t distribution; along rays from its mean, and of a group's
///            deviations [N03]
/// Holds when the weighted score is near normal, and bends in theta as the stand-in's does over the posterior's width
/// Checked by tests/posterior/once_sampler_test.cpp: draws_from_its_target
class PositionChains {
 public:
  /// At draws from the normal distribution of the base's mean and covariance. `density` is read as long as the chains live.
  PositionChains(const PositionDensity& density, Eigen::Index count, ChainRng& rng);

  /// Slices until the chains' mean log density stays where it was half way; false where it does not, or `go_on`, asked before every
  /// slice, ends it.
  [[nodiscard]] bool settle(ChainRng& rng, const std::function<bool()>& go_on);
  /// So many slices that a chain's next position has, as a rule, little to do with the one before.
  void go_on(ChainRng& rng);
  /// Shape (count, dim).
  [[nodiscard]] Matrix positions() const;

 private:
  friend void fit_base(PositionDensity& density, Eigen::Index least, ChainRng& rng,
                       const std::function<bool()>& go_on);
  void slice(ChainRng& rng);
  [[nodiscard]] Eigen::ArrayXd log_densities() const;
  /// Of all chains, shape (dim, chains): psi of PositionDensity.
  [[nodiscard]] Matrix points() const;
  /// The same points, `off` the mean of a new base.
  void have_base_of(const Matrix& off, const Matrix& covariance);

  const PositionDensity* density_;
  Eigen::Index count_;
  Matrix images_, ends_;
  Eigen::Index slices_ = 0;
  Position from_, candidate_;
};

/// Fits the base of `density` to chains that take some slices, as many as `least`, or ten a dimension up to a thousand and two from
/// there. Any base is right, a near one is fast. `go_on`: asked before every slice.
void fit_base(PositionDensity& density, Eigen::Index least, ChainRng& rng,
              const std::function<bool()>& go_on);

}  // namespace sotto
