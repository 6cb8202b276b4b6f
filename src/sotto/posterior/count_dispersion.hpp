// How much counts vary beyond the Poisson law, from a released histogram of absolute residuals.
#pragma once

#include <optional>
#include <vector>

#include "sotto/math/count_effect.hpp"
#include "sotto/posterior/stand_in.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

struct LikelyEffect {
  CountEffect effect;
  double probability;
};

struct CountFit {
  double dispersion;  ///< to plan with: variance m + dispersion m^2, on a coarse grid
  double found;       ///< the same between the grid's points, to tell of and to predict with
  double misfit;  ///< of the best effect: chi-squared less its degrees of freedom, in its standard deviations
  std::vector<LikelyEffect> likely;  ///< effects of mean 1
  std::optional<CountEffect>
      few_large;  ///< where surely a few counts are far larger than others: the likeliest, or those that no law knows of
};

/// Negative binomial counts whose linear predictors are normal in every part of the rows, by least chi-squared between the
/// released cells of |y - m| / max(1, sqrt m) and the law's. Cells below 0.7, where counts are coarse, are taken together. The
/// cells' standard deviations have noise, sampling, and two percent of sqrt(p) for covariates that are not normal. Where the misfit is
/// large, it is that of uniform predictors, or of skewed ones, if they fit better. The predictors' level is free, of a standard deviation of .15 beforehand.
/// Computes   the least over a grid of dispersions from 0 to 8, and between its points; 0 unless the grid is better by 9. Probabilities before: no effect .65; gamma
///            .18, of a variance log-uniform from .02 to 10; log-normal .09, of a standard deviation log-uniform from .4 to 2.7; Weibull
///            .06, of a shape log-uniform from .4 to .94; else
///            from 1 to 10 percent of the counts have means 5 to 25 times as large as the others'. Of the last three tails are long.
///            Where cells whose edges differ by eight times or less hold four standard deviations more than the likeliest law says,
///            beyond where it expects a hundredth of the rows, these rows are a few large ones too
/// Checked by tests/posterior/count_dispersion_test.cpp: finds_the_dispersion, says_how_likely_others_are,
///            tells_log_normal_effects_from_gamma_ones, sees_a_few_large_ones, sees_rows_of_which_no_law_knows
[[nodiscard]] CountFit fit_dispersion(const Position& edges, const NoisyVector& histogram,
                                      const std::vector<NormalPredictor>& predictors, double rows);

}  // namespace sotto
