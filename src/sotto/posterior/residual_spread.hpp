// The size of residuals and what departs from the model, from a noisy histogram of them.
#pragma once

#include <vector>

#include "sotto/posterior/count_dispersion.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/residual_mixture.hpp"
#include "sotto/posterior/residual_tails.hpp"
#include "sotto/posterior/skewness.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

struct ResidualSpread {
  double scale = 1;             ///< standard deviation, from the median; counts: in units of max(1, sqrt m)
  double dispersion = 0;        ///< counts: variance m + dispersion m^2, to plan with
  double found_dispersion = 0;  ///< likewise, to tell of and to predict with
  double misfit = 0;  ///< counts: chi-squared of the best law of those below, in standard deviations
  std::vector<LikelyEffect> effects{};     ///< counts: those that the histogram allows
  std::optional<CountEffect> few_large{};  ///< counts: a few are far larger than the others
  ResidualTails tails{};                   ///< normal responses
  ResidualHistogram histogram{};           ///< likewise; empty where the noise hides the scale
  Skewness skewness{};                     ///< likewise
  double unseen =
      0;  ///< share of the rows that could lie far out, in one place, without standing clear of the noise
  bool hidden = false;  ///< by noise: the scale is that of the declared range, which is too large
};

/// How much is at stake: a first look, or what the posterior's clip follows from.
enum class Look { first, last };

/// Asks for the histogram at a position. `before`: of an earlier one, if any: its tails are there whether or not they stand
/// clear again, unless the scale has fallen to half.
[[nodiscard]] ResidualSpread residual_spread(const OnceFacts& facts, const StandIn& stand_in,
                                             const Position& at, Look look, const ResidualSpread* before,
                                             PaidQuestions& questions);

}  // namespace sotto
