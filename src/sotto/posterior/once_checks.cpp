#include "sotto/posterior/once_checks.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sotto/posterior/curves.hpp"
#include "sotto/posterior/few_events.hpp"
#include "sotto/posterior/matching_shift.hpp"
#include "sotto/posterior/prior_sensitivity.hpp"
#include "sotto/posterior/tell_of_residuals.hpp"
#include "sotto/posterior/told_of_table.hpp"

namespace sotto {
namespace {

constexpr double kLargestSd = 1;      // of the linear predictor, in its unit
constexpr double kLargestMove = 0.5;  // likewise
constexpr double kSteep = 4;          // log odds
constexpr double kTellMoved = 1;      // of a coefficient by the remainder, in its standard deviations
constexpr double kTellWider = 1.5;    // likewise, its standard deviation over that before
constexpr double kFalseAlarm = 1e-5;  // of two releases that agree
constexpr double kLeastLevel = 0.4;   // of the information, released over expected
constexpr double kFarOut = 2;         // standard deviations of a coefficient's prior
constexpr double kPriorOnly = 0.6;    // of a coefficient's sd, over its prior's
constexpr double kPriorTells =
    0.2;  // likewise: else what is hidden is an offset's, whose coefficient is known
constexpr double kNoiseCounts = 0.5;  // of the score's variance, over sampling's
constexpr double kHeldByTold = 0.84;  // of 90 % intervals: fewer are told
constexpr double kLevelsOff =
    2.5;  // standard deviations, of a sign that rows far out leave the line, or two together
constexpr double kUnseenLean =
    2;  // of a coefficient, in its standard deviations: what rows far out could move unseen

/// Whether noise adds much to what sampling leaves open.
bool noise_counts(const OnceRelease& release) {
  const double sampling = release.pooled.spread.trace() / static_cast<double>(release.facts.dim());
  return release.pooled.score_variance >= kNoiseCounts * sampling;
}

/// Rows that count little, of whom nothing says that they differ.
std::string note_of_light_rows(const OnceRelease& release) {
  const OnceFacts& facts = release.facts;
  const bool times =
      facts.link == Link::log_rate && facts.pieces > 1;  // all intervals but the first have a column
  double indicators = times ? 1 - facts.pieces : 0;
  for (std::size_t j = 0; j < facts.indicator.size(); ++j)
    indicators += facts.indicator[j] && !facts.is_threshold(static_cast<Eigen::Index>(j)) ? 1 : 0;
  const bool values =
      (indicators == 0 && !times) || std::ranges::any_of(columns_for_curves(facts), [&](Eigen::Index j) {
        return long_tailed(facts, release.stand_in, j);
      });
  std::vector<const char*> by;
  std::vector<const char*> see;
  if (values) {
    by.push_back("values far out");
    see.push_back("log1p(...)");
    see.push_back("narrower declared bounds");
  }
  if (indicators > 0) {
    by.push_back(noise_counts(release) ? "a level that is rare, or that the noise lets seem so"
                                       : "a rare level");
    see.push_back("fewer and larger levels");
  }
  if (times) {
    by.push_back("an interval of time that few live to");
    see.push_back("fewer cuts");
  }
  return fmt::format(
      "About {:.2g} % of the rows lie far from the others in their columns, by {}, and count little here: "
      "the answer is that of the others, and the noise may hide that these do not follow it, where other "
      "programs would give another. See what {} give.",
      100 * release.light.share, fmt::join(by, " or "), fmt::join(see, " or "));
}

/// What the linear predictor is, in words.
const char* predicted(Link link) {
  switch (link) {
    case Link::logit:
      return "log odds";
    case Link::log:
      return "logarithm of the mean";
    case Link::log_rate:
      return "log hazard";
    case Link::identity:
      return "fitted value";
  }
  return "linear predictor";
}

/// What was asked of the model at the last position.
void tell_of_model(const OnceRelease& release, OnceVerdict& verdict) {
  verdict.curved = release.curves.curved;
  verdict.differing = release.threshold_effects.differing;
  if (release.threshold_effects.skewed) {
    verdict.warnings.emplace_back(
        "The logistic curve does not fit: probabilities of high categories rise faster on one side, as with "
        "skewed errors or "
        "effects that level off. What is shown is off from what other programs give by up to several "
        "standard deviations; "
        "transform columns, or fit y >= k by logistic regressions and compare.");
  }
  if (release.unasked) {
    verdict.warnings.emplace_back(
        "A check of the model was left out, as it lay too far out to be asked: a misfit may go unsaid. Take "
        "a larger epsilon, or "
        "narrower priors.");
  }
  verdict.far_rows = release.light.columns;
  verdict.far_share = release.light.share;
  const auto told = [](const std::vector<Eigen::Index>& columns, Eigen::Index j) {
    return std::ranges::find(columns, j) != columns.end();
  };
  const auto lean_of = [&](Eigen::Index j) {
    return release.light.lean.size() > 0 ? release.light.lean[j] : 0.0;
  };
  const double score_sd = std::sqrt(release.pooled.spread.trace() / static_cast<double>(release.facts.dim()) +
                                    release.pooled.score_variance);
  for (const auto& [column, off, hidden] : release.curves.levelling) {
    if (told(verdict.far_rows, column) || told(verdict.curved, column)) continue;
    // Where an effect levels off, what levels off scores high, and rows far out have lower responses than the line's.
    const double both = std::abs(off - lean_of(column)) / std::numbers::sqrt2;
    if (std::max({std::abs(off), std::abs(lean_of(column)), both}) > kLevelsOff) {
      verdict.leaning.push_back(column);
    } else if (hidden && long_tailed(release.facts, release.stand_in, column) &&
               release.light.hides > kUnseenLean * score_sd) {
      verdict.unseen_far.push_back({column, release.light.hides / score_sd});
    } else if (hidden) {
      verdict.maybe_curved.push_back(column);
    }
  }
  for (const Eigen::Index j : columns_for_curves(release.facts)) {
    const bool known = told(verdict.far_rows, j) || told(verdict.curved, j) || told(verdict.leaning, j);
    if (!known && std::abs(lean_of(j)) > kLevelsOff) verdict.leaning.push_back(j);
  }
  if (release.light.clear && verdict.far_rows.empty() && verdict.curved.empty() && verdict.leaning.empty() &&
      verdict.maybe_curved.empty() && verdict.unseen_far.empty()) {
    verdict.notes.push_back(note_of_light_rows(release));
  }
  for (Eigen::Index j = release.facts.intercept ? 1 : 0;
       j < std::min(release.facts.unknown(), release.remainder.moved.size()); ++j) {
    const double by = std::abs(release.remainder.moved[j]);
    if (by > kTellMoved) verdict.uneven.push_back({j, by});
  }
  if (verdict.uneven.empty() && release.remainder.wider.size() > 0 &&
      release.remainder.wider.maxCoeff() > kTellWider) {
    verdict.notes.emplace_back(
        "The noise hides whether some rows' responses have longer tails than others': intervals allow for "
        "it.");
  }
}

void tell_of_priors(const OnceRelease& release, const OncePosterior& posterior, OnceVerdict& verdict) {
  for (Eigen::Index j = 0; j < release.facts.unknown(); ++j) {
    const bool threshold = release.facts.thresholds && (j == 0 || release.facts.is_threshold(j));
    if (j >= (release.facts.intercept ? 1 : 0) && posterior.prior_share[j] > kPriorOnly) {
      verdict.hidden.push_back(j);
    } else if (!threshold && !release.facts.in_group(j) && posterior.prior_sensitivity[j] > kPriorSensitive) {
      verdict.sensitive.push_back(
          {j, posterior.prior_sensitivity[j], std::abs(posterior.prior_distance[j]) > kFarOut});
    }
  }
}

void tell_of_wide_priors(const OnceRelease& release, const OncePosterior& posterior, const Matrix& reported,
                         OnceVerdict& verdict) {
  if (!noise_counts(release)) return;  // it is what any program's posterior would do
  const Eigen::Index d = release.facts.dim();
  const auto [median, held, of_slope] =
      matching_shift(release, posterior, reported.size() > 0 ? reported : Matrix::Identity(d, d));
  for (Eigen::Index j = 0; j < release.facts.unknown(); ++j) {
    const bool hidden = std::ranges::find(verdict.hidden, j) != verdict.hidden.end();
    if (hidden || release.facts.in_group(j) || held[j] > kHeldByTold) continue;
    if (median[j] * (median[j] - of_slope[j]) > 0 && std::abs(of_slope[j]) < std::abs(median[j]) / 2)
      verdict.drawn_off.push_back({j, median[j] > 0, held[j]});
  }
}

/// Of the linear predictor, in its unit.
double largest_sd(const OnceRelease& release, const OncePosterior& posterior) {
  return std::max(release.predictor_sd, posterior.predictor_sd);
}

/// How large residuals are, or how much counts vary, where intervals are made of it.
bool hides_spread(const OnceRelease& release) {
  return release.spread.hidden && release.facts.clips() && !release.facts.sigma;
}

void tell_of_noise(const OnceRelease& release, const OncePosterior& posterior, OnceVerdict& verdict) {
  const double sd = largest_sd(release, posterior);
  const bool counts = release.facts.link == Link::log;
  if (hides_spread(release)) {
    verdict.noise_dominates = true;
    verdict.warnings.emplace_back(
        counts ? "The noise hides how much responses vary: where they vary more than Poisson counts, the "
                 "intercept is too low and effects are off, by many times what intervals say; take a larger "
                 "epsilon."
               : "The noise hides how large residuals are: their declared range is taken instead, and most "
                 "intervals are far too wide; take a larger epsilon, or narrower bounds of the response, "
                 "where you know them without a look at the data.");
  }
  if (counts && release.located.hopeless)
    verdict.warnings.push_back(
        fmt::format("The noise left the search for the posterior no step from where it began: intervals "
                    "may be too narrow by many times. Take a larger epsilon, fewer columns, or a smaller "
                    "upper bound of the {}, where you know one without a look at the data.",
                    counted(release.facts)));
  if (sd > kLargestSd) {
    verdict.noise_dominates = true;
    verdict.warnings.push_back(fmt::format(
        "The noise dominates: a typical row's {} is known to about +-{:.2g} only; next time take a larger "
        "epsilon, fewer columns, narrower bounds or more rows.",
        predicted(release.facts.link), sd * release.predictor_unit));
  }
  const bool offset_alone =
      release.facts.offset && posterior.prior_share.head(release.facts.unknown()).maxCoeff() < kPriorTells;
  if (release.pooled.unresolved && !offset_alone) {
    verdict.warnings.emplace_back(
        "Some combinations of columns are hidden by the noise: their coefficients lean on the prior; leave "
        "out columns that say the same, or take a larger epsilon.");
  }
  if (!release.frame.resolved) {
    verdict.warnings.emplace_back(
        "The noise hides how far some columns spread, and their declared bounds stand for that: where "
        "columns lie much closer together than bounds say, effects may be off by many times what "
        "intervals say. Narrow bounds where you know them without a look at the data, set [prior], take a "
        "larger epsilon, or leave out columns.");
  }
}

void tell_of_search(const OnceRelease& release, const OncePosterior& posterior, OnceVerdict& verdict) {
  const PooledRelease& pooled = release.pooled;
  const double sd = largest_sd(release, posterior);
  const double move = std::max(release.last_move, posterior.predictor_move);
  const bool moved = move > std::min(kLargestMove, std::sqrt(3 * sd)) && move > 3 * release.predictor_sd;
  // Where hardly anybody lives through the last interval, which is said, it bends what far scores say of near ones; the last stands alone.
  const bool stands_alone = release.hardly_lived && !moved;
  const bool disagrees = !stands_alone && !pooled.agreement.empty() && pooled.agreement.back() < kFalseAlarm;
  const bool few_seen = !stands_alone && pooled.level_ratio < kLeastLevel;
  const bool beyond_bounds =
      std::ranges::any_of(release.at_bounds, [](const AtBound& end) { return !end.alone && !end.only_ends; });
  const double steepness =
      release.facts.link == Link::logit ? release.stand_in.predictor(pooled.anchor).sd : 0;
  if (steepness > kSteep && steepness > 2 * sd) {
    verdict.unreliable = verdict.unreliable || moved;
    verdict.warnings.push_back(fmt::format(
        "Log odds lie some {:.0f} apart (their standard deviation over the rows), so that hardly any "
        "response "
        "is in doubt: one release tells little of how steep the rows are, and coefficients may be too small "
        "by several of their standard deviations. At a large epsilon method = barker tells more.",
        steepness));
  }
  if (moved || disagrees || few_seen) {
    // Wide posteriors of scores that bend lie apart from where the last score was, and are right.
    const bool unsettled = disagrees || few_seen || move > 3 * sd;
    verdict.unreliable = verdict.unreliable || unsettled;
    verdict.warnings.push_back(fmt::format(
        "{}; {}.",
        unsettled
            ? "The search for the posterior did not settle: two releases disagree about where it lies, so do "
              "not rely on these intervals"
            : "The posterior lies some way from where its last release looked, though within what noise "
              "makes "
              "likely: intervals may be off by part of their width",
        beyond_bounds                          ? "declare bounds that hold all values"
        : release.facts.link == Link::log_rate ? "declare the end of follow-up as the time's upper bound, or "
                                                 "cut there; else a larger epsilon helps"
        : release.few_usable || few_seen
            ? "leave out rare levels or put them together, see with sotto schema --check whether the schema "
              "reads the table, or take a larger epsilon"
            : "a larger epsilon helps, or narrower bounds of columns where you know them without a look at "
              "the data"));
  }
  if (!posterior.settled && posterior.chains.front().stop == StopReason::interrupted) {
    verdict.unreliable = true;
    verdict.warnings.emplace_back(
        "The sampler was stopped before it had converged: intervals may be too narrow or too wide; sotto fit "
        "--resume draws anew from what was released, which costs nothing.");
  } else if (!posterior.settled) {
    verdict.unreliable = true;
    verdict.warnings.emplace_back(
        "The sampler has not converged: intervals may be too narrow or too wide; leave out columns, or take "
        "narrower priors.");
  }
}

}  // namespace

bool hidden_by_noise(const OnceRelease& release) {
  return told_of_table(release).noise_dominates || hides_spread(release) || release.predictor_sd > kLargestSd;
}

OnceVerdict check_once(const OnceRelease& release, const OncePosterior& posterior, const Matrix& reported) {
  OnceVerdict verdict = told_of_table(release);
  if (verdict.noise_dominates) return verdict;
  FewEvents few = find_few_events(release);
  verdict.few_events = std::move(few.levels);
  verdict.few_in_first = few.in_first;
  tell_of_model(release, verdict);
  tell_of_priors(release, posterior, verdict);
  tell_of_wide_priors(release, posterior, reported, verdict);
  tell_of_noise(release, posterior, verdict);
  tell_of_search(release, posterior, verdict);
  tell_of_residuals(release, verdict);
  return verdict;
}

}  // namespace sotto
