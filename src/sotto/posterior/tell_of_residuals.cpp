#include "sotto/posterior/tell_of_residuals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kSkewed = 0.95;  // probability
constexpr double kTellBias =
    0.2;  // what clips took off and was put back, in a coefficient's standard deviations
constexpr double kTellDoubt = 0.5;      // likewise, its doubt
constexpr double kMisfit = 4;           // standard deviations of chi-squared
constexpr double kTellUnseen = 0.002;   // likewise: that noise would hide
constexpr double kUnseenWouldMove = 3;  // coefficients by so many of their standard deviations
constexpr double kUnseenCells = 3;      // of a histogram: rows far out seldom lie in one

void tell_of_tails(const OnceRelease& release, OnceVerdict& verdict) {
  if (!release.facts.has_sigma() || release.spread.tails.cells.empty() || release.spread.hidden) return;
  // Of skewed ones the long side is what sigma is made of.
  auto& sentences = release.spread.skewness.probability() > kSkewed ? verdict.warnings : verdict.notes;
  sentences.emplace_back(
      "Residuals have longer tails than a normal law's: sigma counts them as a noisy histogram shows them, "
      "and "
      "may be off by more than its interval says. Coefficients rest on residuals within the clip.");
}

void tell_of_skewness(const OnceRelease& release, OnceVerdict& verdict) {
  const Skewness& skewness = release.spread.skewness;
  const ClipBias bias = skewness.bias({release.rounds.back().plan.clip});
  const double coefficient_sd =
      release.predictor_sd * release.predictor_unit / std::sqrt(static_cast<double>(release.facts.dim()));
  if (skewness.probability() > kSkewed && bias.mean.norm() > kTellBias * coefficient_sd) {
    verdict.warnings.push_back(
        fmt::format("Residuals are skewed: clipping them moved fitted values by about {:.2g}, which is put "
                    "back only as far as a "
                    "noisy histogram tells; take the logarithm of the response, or a larger epsilon.",
                    bias.mean.norm()));
  } else if (std::sqrt(bias.square.trace()) > kTellDoubt * coefficient_sd) {
    verdict.notes.push_back(
        fmt::format("The noise hides whether residuals are skewed: intervals allow for fitted values that "
                    "are off by {:.2g}.",
                    std::sqrt(bias.square.trace())));
  }
}

/// What clips leave out of rows far from the others is told above where it shows; here, how much of it could not.
void tell_of_unseen(const OnceRelease& release, OnceVerdict& verdict) {
  const OnceFacts& facts = release.facts;
  const double share = release.spread.unseen;
  if (share < kTellUnseen || release.spread.few_large || release.spread.hidden) return;
  const double mean = release.stand_in.predictor(release.pooled.anchor).mean;
  const double move = facts.link == Link::log
                          ? std::log1p(share * std::max(facts.response.upper / std::exp(mean) - 1, 0.0))
                          : share * facts.response.width() / 2;
  const double coefficient_sd =
      release.predictor_sd * release.predictor_unit / std::sqrt(static_cast<double>(facts.dim()));
  if (move < kUnseenWouldMove * coefficient_sd) return;
  verdict.unseen = kUnseenCells * share;
}

void tell_of_counts(const OnceRelease& release, OnceVerdict& verdict) {
  constexpr double kLarge = 1.5;   // times the others': less is no other kind of response
  constexpr double kSome = 0.005;  // of the responses' sum
  const double few = release.spread.few_large ? release.spread.few_large->few : 0;
  const double times = release.spread.few_large ? release.spread.few_large->times : 0;
  const double held = few * times / (1 + few * (times - 1));
  if (times >= kLarge && held >= kSome) {
    verdict.warnings.push_back(
        fmt::format("About {:.2g} % of the rows seem to have {} some {:.0f} times as large as the others', "
                    "which would hold "
                    "{:.0f} % of their sum: clipping leaves most of that out, so that the intercept is that "
                    "of the other rows, and "
                    "effects are too.",
                    100 * few, counted(release.facts), times, 100 * held));
  }
  if (release.facts.link == Link::log && release.spread.misfit > kMisfit) {
    verdict.warnings.push_back(fmt::format(
        "The {} vary in a way that neither {} nor log-normal nor Weibull effects of the rows explain: "
        "coefficients may be off, most of all those of groups whose {} vary differently.{}",
        counted(release.facts), release.facts.steps ? "gamma" : "negative binomial", counted(release.facts),
        release.facts.steps
            ? " Where many are 0, fit whether they are by --family bernoulli, as in y > 0 ~ x, and "
              "those above 0 by themselves."
            : ""));
  } else if (release.facts.steps) {
    if (verdict.noise_dominates) return;
    verdict.notes.push_back(
        release.spread.dispersion > 0
            ? fmt::format(
                  "Responses vary by about {:.2g} times their mean (a gamma shape of {:.2g}), and the "
                  "intervals allow for the doubt about that, though not for a few rows far beyond the "
                  "others.",
                  std::sqrt(release.spread.found_dispersion), 1 / release.spread.found_dispersion)
            : "Responses vary little around their mean: --family normal of their logarithm may suit them "
              "better.");
  } else if (release.spread.dispersion > 0) {
    verdict.notes.push_back(
        fmt::format("Counts vary more than the Poisson model says: negative binomial counts of variance m + "
                    "{:.2g} m^2 are "
                    "taken instead, and the intervals allow for the doubt about that size, though not for a "
                    "few rows far beyond the others; "
                    "where columns or curves are missing from the formula, coefficients are off.",
                    release.spread.found_dispersion));
  }
}

}  // namespace

void tell_of_residuals(const OnceRelease& release, OnceVerdict& verdict) {
  tell_of_skewness(release, verdict);
  tell_of_tails(release, verdict);
  tell_of_counts(release, verdict);
  tell_of_unseen(release, verdict);
}

}  // namespace sotto
