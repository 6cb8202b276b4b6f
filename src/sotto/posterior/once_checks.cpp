#include "sotto/posterior/once_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kLargestSd = 1;      // of the linear predictor, in its unit
constexpr double kLargestMove = 0.5;  // likewise
constexpr double kDisagreement = 4;   // standard deviations of chi-squared
constexpr double kOverdispersed = 1.3;

}  // namespace

OnceVerdict check_once(const OnceRelease& release) {
  OnceVerdict verdict;
  const PooledRelease& pooled = release.pooled;
  const double sd = release.predictor_sd;
  if (sd > kLargestSd) {
    verdict.noise_dominates = true;
    verdict.warnings.push_back(fmt::format(
        "The noise dominates: linear predictors are known to about {:.1f} only; next time take a larger "
        "epsilon, fewer columns, narrower bounds or more rows.",
        sd * release.predictor_unit));
  }
  const bool moved =
      release.last_move > std::min(kLargestMove, std::sqrt(3 * sd)) && release.last_move > 3 * sd;
  const bool disagrees = !pooled.disagreement.empty() && pooled.disagreement.back() > kDisagreement;
  if (moved || disagrees) {
    verdict.warnings.emplace_back(
        "The search for the posterior did not settle: the last released score disagrees with the position "
        "it was taken at, so intervals may be in the wrong place; narrower bounds of the columns help most.");
  }
  if (pooled.unresolved) {
    verdict.warnings.emplace_back(
        "Some combinations of columns are hidden by the noise: their coefficients lean on the prior; leave "
        "out columns that say the same, or take a larger epsilon.");
  }
  if (release.facts.link == Link::log && pooled.dispersion > kOverdispersed) {
    verdict.warnings.push_back(fmt::format(
        "Counts vary {:.1f} times as much as the Poisson model says: clipped residuals then shift the "
        "fit, mostly the intercept.",
        pooled.dispersion));
  }
  return verdict;
}

}  // namespace sotto
