// The posterior of a category's levels given a noisy count of each: draws are independent and come from no chain.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// How many rows have each level, with independent normal noise.
struct ReleasedCounts {
  Position counts;  ///< shape (levels)
  double noise_sd;  ///< of each, > 0
};

/// log odds of levels 1, 2, .. against level 0, independent a priori.
///
/// Counts of a multinomial are independent Poisson ones of means n p_k once n is not known, and with a flat prior on log n this leaves
/// the posterior of p alone as it is (the likelihood is a function of n times the multinomial's). With noise each released count then
/// tells of its own mean alone, so that given the log mean nu of level 0 the others' log odds are independent, each in one dimension:
/// nu is drawn with all of them integrated out, then each of them given nu.
/// Computes   p(nu) ~ f_0(e^nu) prod_k g_k(nu),  g_k(nu) = integral of f_k(e^(nu + t)) prior(t) dt,  p(t_k | nu) ~ f_k(e^(nu + t)) prior(t),
///            f_k the density of released count k by its mean (math/noisy_count.hpp); trapezoids on grids that follow f_k
/// Holds      noise that hides every level leaves nothing that bounds nu from below: it is taken to be above a twentieth of a row
/// Source     as derived here
/// Checked by tests/posterior/level_counts_test.cpp: without_noise_is_the_multinomial_posterior, holds_the_truth_as_often_as_it_says
class LevelCountsPosterior {
 public:
  /// `prior`: of every log odds; not flat where noise may hide a level.
  LevelCountsPosterior(const ReleasedCounts& released, const CoefficientPrior& prior);

  /// Log odds, shape (levels - 1).
  [[nodiscard]] Position draw(ChainRng& rng) const;

 private:
  /// Density of a released count over the log of its mean, up to a factor, where it is not negligible.
  struct Curve {
    std::vector<double> at, density;
  };
  static Curve curve_of(double noisy, double noise_sd, const CoefficientPrior& prior);
  /// Of log odds t: f_k(e^(nu + t)) prior(t), at the curve's points.
  [[nodiscard]] std::vector<double> given(const Curve& curve, double nu) const;

  CoefficientPrior prior_;
  Curve base_;  ///< of level 0, then of nu with all others integrated out
  std::vector<Curve> others_;
};

/// Levels of which the noise hides how many rows have them: the posterior's mean count is below twice the noise. `shares`: draws, shape (draws, levels).
[[nodiscard]] std::vector<Eigen::Index> hidden_levels(const ReleasedCounts& released, const Matrix& shares);

/// Posterior standard deviation of each level's share over that of the same share without noise.
[[nodiscard]] Position share_inflation(const ReleasedCounts& released, const Matrix& shares);

}  // namespace sotto
