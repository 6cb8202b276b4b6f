// Where to begin: an intercept, and the size of residuals, from noisy histograms.
#pragma once

#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/residual_tails.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// Where a noisy histogram's distribution function crosses one half, as a (fractional) place among the edges. The cumulated
/// counts are made monotone by pooling neighbours, so empty bins with noise do no harm.
/// Checked by tests/posterior/start_test.cpp
[[nodiscard]] double median_place(const Position& counts, double rows);

/// Linear predictor of a model without covariates: logit of the share of ones, median of y, or median of log(y + 1/2).
struct FirstIntercept {
  double value = 0;
  double doubt =
      0;  ///< how far off it may be; medians: a bin's width, or half the range where noise hides the bins
};
[[nodiscard]] FirstIntercept first_intercept(const OnceFacts& facts, double rows, PaidQuestions& questions);

/// What a histogram of residuals at a position tells.
struct ResidualSpread {
  double scale = 1;       ///< standard deviation, from the median; counts: in units of max(1, sqrt m)
  double dispersion = 0;  ///< counts: variance m + dispersion m^2
  double misfit = 0;      ///< counts: chi-squared of the best negative binomial, in standard deviations
  ResidualTails tails{};  ///< normal responses
  bool hidden = false;    ///< by noise: the scale is that of the declared range, which is too large
};
/// Tails that were found `before` are there whether or not they stand clear again, unless the scale has fallen to half.
[[nodiscard]] ResidualSpread residual_spread(const OnceFacts& facts, const StandIn& stand_in,
                                             const Position& at, PaidQuestions& questions,
                                             const ResidualSpread& before = {});

}  // namespace sotto
