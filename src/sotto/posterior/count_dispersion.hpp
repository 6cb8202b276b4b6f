// How much counts vary beyond the Poisson law, from a released histogram of absolute residuals.
#pragma once

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
  double dispersion;  ///< to plan with: variance m + dispersion m^2
  double misfit;  ///< of the best effect: chi-squared less its degrees of freedom, in its standard deviations
  std::vector<LikelyEffect> likely;
};

/// Negative binomial counts whose linear predictors are normal in every part of the rows, by least chi-squared between the
/// released cells of |y - m| / max(1, sqrt m) and the law's. Cells below 0.7, where counts are coarse, are taken together. The
/// cells' standard deviations have noise, sampling, and two percent of sqrt(p) for covariates that are not normal. Where the misfit is
/// large, it is that of uniform predictors if they fit better.
/// Computes   the least over a grid of dispersions from 0 to 3; 0 unless it is better by 9. Probabilities of effects: none with
///            probability .65 before, gamma of a variance log-uniform from .02 to 4 with .21, else log-normal of a standard deviation
///            log-uniform from .4 to 2, whose tails are longer
/// Checked by tests/posterior/count_dispersion_test.cpp: finds_the_dispersion, says_how_likely_others_are
[[nodiscard]] CountFit fit_dispersion(const Position& edges, const NoisyVector& histogram,
                                      const std::vector<NormalPredictor>& predictors, double rows);

}  // namespace sotto
