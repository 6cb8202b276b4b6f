// A normal model's sigma, given a position and the released clipped second moment of residuals; and what that tells of the position.
#pragma once

#include <optional>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/residual_mixture.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Rows whose residuals' squares were added up.
struct SquaredRows {
  double rows;          ///< their number
  double variance = 0;  ///< of noise on it
  double alike =
      1;  ///< rows whose residuals may be one another's, those of an average unit: no more of them are taken as independent
  double fitted = 0;  ///< see AnchorResiduals
};

/// The residuals at the anchor have variance sigma^2 (1 - fitted / rows) + q, see `AnchorResiduals`; their clipped second moment is
/// normal around n E clip(N(0, that), -+h)^2 with sampling variance and noise. A position of which more is added than the residuals
/// spread is not possible.
class SigmaPosterior {
 public:
  /// `tails`: those that were found; `log_prior`: of log(sigma), were residuals normal; none: flat; `beyond`: draws of the mean of
  /// (r^2 - clip^2)+ (`squares_beyond`); none: a normal law's.
  SigmaPosterior(const OnceRound& last, const ResidualTails& tails, const SquaredRows& of,
                 const std::optional<CoefficientPrior>& log_prior, Position beyond = {});

  /// Log density of what was released given q >= 0, up to a constant: sigma is integrated out.
  /// Computes   linear interpolation in log q
  /// Checked by tests/posterior/sigma_posterior_test.cpp: what_squares_say_of_a_position_is_the_integral_over_sigma
  [[nodiscard]] double log_density(double q) const;
  /// Checked by tests/posterior/sigma_posterior_test.cpp: are_right_whatever_the_clip_is, cover
  /// `place`: of this draw among all that are made, in [0, 1). Neighbours take neighbours of `beyond`: what draws of that have to do with
  /// each other is seen in sigma's.
  [[nodiscard]] double draw(double q, double place, ChainRng& rng) const;

 private:
  struct Cells {
    double first, width;  ///< of log(sigma), at their middles
    Position log_weight;
  };
  [[nodiscard]] double log_likelihood(double spread) const;
  [[nodiscard]] Cells cells(double q) const;

  double clip_, squares_, squares_variance_;
  SquaredRows of_;
  double log_free_;  // log of 1 - fitted / rows, halved: what residuals at the anchor have of sigma
  double fourth_;    // of the tails
  Position beyond_;
  std::optional<CoefficientPrior> log_prior_;
  double least_spread_, most_spread_;  // where the likelihood lies
  std::vector<double> table_;          // log density, by log q
};

}  // namespace sotto
