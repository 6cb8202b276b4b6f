// The whole run of releases behind a release-once posterior: frame, place, then rounds of score and information.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/posterior/at_bounds.hpp"
#include "sotto/posterior/curves.hpp"
#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/frame.hpp"
#include "sotto/posterior/light_rows.hpp"
#include "sotto/posterior/locate.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/remainder.hpp"
#include "sotto/posterior/stand_in.hpp"
#include "sotto/posterior/threshold_effects.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

struct OnceSettings {
  OnceFacts facts;
  Rho cost{0};                                          ///< of all releases together
  std::vector<std::optional<CoefficientPrior>> priors;  ///< one per coefficient; none: the default
  std::optional<CoefficientPrior> sigma_prior;  ///< of log(sigma); none: about the residuals' released scale
  std::function<bool()> go_on = {};             ///< asked before every question; false ends the run
  std::function<void(double)> counted =
      {};  ///< told of the rows as soon as their number is released; may throw
};

/// Everything that was released or computed from releases; nothing in it needs further protection.
struct OnceRelease {
  OnceFacts facts;
  double rows = 0;           ///< that count, as released
  double rows_variance = 0;  ///< of the noise on it
  Frame frame;
  StandIn stand_in;
  StandIn weighed;  ///< as the last round's weights leave it (part_weights)
  ResolvedPrior prior;
  double unit = 1;  ///< normal responses: their spread, which scales default priors; else 1
  Located located;
  std::vector<OnceRound> rounds;
  PooledRelease pooled;
  Matrix clear_spread{};  ///< covariance of the pooled score, without what the doubt about clips adds
  double predictor_unit = 1;
  double predictor_sd = 0;        ///< posterior sd of the linear predictor over the rows, in its unit
  double last_move = 0;           ///< of the linear predictor from the last position to the mode, in its unit
  ResidualSpread spread{};        ///< logistic: not used
  CoefficientChange remainder{};  ///< of what histograms say of clips: coefficients after the remainder
  Curves curves{};
  ThresholdEffects threshold_effects{};
  LightRows light{};
  bool unasked = false;                    ///< a check of the model did not fit the grid of releases
  std::vector<AtBound> at_bounds{};        ///< where values lay beyond what is declared
  std::vector<Eigen::Index> hardly_any{};  ///< ordered categories whose count the noise hides
  bool rows_seen = true;                   ///< their number, where it is released, stands clear of the noise
  std::optional<double> few_usable{};      ///< share of the rows that count, where it is small
  std::optional<double> not_all_usable{};  ///< likewise, by not_all_usable
  std::optional<double>
      hardly_lived{};  ///< of times at risk: average share of the last piece that those who began lived through,
                       ///< where it is clearly small
  std::optional<double>
      nearly_all{};  ///< share of the responses that are 1, or of the times that end with the event, where it clearly is
  std::optional<double> no_zero_seen{};  ///< share of ones, where noise hides whether there is any zero
};

/// Errors: budget if the interface refuses; configuration if shapes or settings do not fit; interrupted.
[[nodiscard]] OnceRelease release_once(const OnceSettings& settings, QueryInterface& interface);

}  // namespace sotto
