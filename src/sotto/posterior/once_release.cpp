#include "sotto/posterior/once_release.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/offset.hpp"
#include "sotto/posterior/rounds.hpp"
#include "sotto/posterior/start.hpp"
#include "sotto/posterior/thresholds.hpp"
#include "sotto/posterior/zoom.hpp"

namespace sotto {
namespace {

constexpr double kCountShare = 0.01;
constexpr double kUsableShare =
    0.003;  // where no histogram counts rows: no columns are numbers, or their look is hidden
constexpr double kUnitSizesShare = 0.02;
constexpr double kCategoriesShare = 0.015;
constexpr double kSeen = 3;                  // standard deviations of the noise
constexpr double kReach = 2;                 // locating: spread of the linear predictor, in its unit
constexpr double kLeastOfThresholds = 1e-4;  // of the information of ordered categories, over its mean

void check(const OnceSettings& settings) {
  const OnceFacts& facts = settings.facts;
  const auto dim = static_cast<std::size_t>(facts.dim());
  if (dim == 0 || facts.indicator.size() != dim || facts.from_zero.size() != dim ||
      facts.range.size() != dim || settings.priors.size() != dim) {
    throw Error(ErrorCode::configuration, "release-once: priors and columns do not fit the design");
  }
  const Position scale = facts.column_sd.size() == facts.dim() ? facts.column_scale() : Position();
  if (scale.size() == 0 || !(scale.minCoeff() > 0) || !scale.allFinite()) {
    throw Error(ErrorCode::configuration, "release-once: every column's scale must be finite and > 0");
  }
}

/// A piece of time counts as far as it was lived through.
struct Counted {
  double rows;
  double variance = 0;  // of noise
  bool seen = true;     // above it
};

Counted released_rows(OnceFacts& facts, PaidQuestions& questions) {
  if (facts.side_by_side > 1) {
    const UnitSizes& sizes =
        facts.unit_sizes.emplace(find_unit_sizes(facts.side_by_side, kUnitSizesShare, questions));
    return {sizes.rows(), sizes.mean() * sizes.mean() * sizes.units_variance, sizes.seen};
  }
  if (facts.rows) return {*facts.rows};
  const TotalOf quantity = facts.link == Link::log_rate ? TotalOf::time_at_risk : TotalOf::rows;
  const auto rows = questions.ask<NoisyVector>(TotalQuery{quantity, questions.pay(kCountShare)});
  const double noise = std::sqrt(rows.variance);
  return {std::max({rows.value[0], noise, 1.0}), rows.variance, rows.value[0] > kSeen * noise};
}

/// From whitened covariates to whitened information, as far as it does not differ more than tenfold from the median: half way, but of counts,
/// whose groups may differ by orders, all the way. Yes and no of groups nearly all alike are curved, and less sure there than the noise is.
Matrix towards_information(const Matrix& frame, const StandIn& stand_in, const Position& at) {
  const Matrix information = frame * stand_in.slope(at) * frame.transpose();
  const Spectrum spectrum(information);
  Position values = spectrum.values();
  const double median = (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
  values = (values / median).cwiseMax(0.1).cwiseMin(10);
  return spectrum.with(values.array().pow(stand_in.link() == Link::log ? -0.5 : -0.25)) * frame;
}

/// Of ordered categories: whitened information. What bounds a response's score does not grow with how rare they are as that on rows
/// does, and noise on the information then hides no direction before another.
Matrix whitened_information(const Matrix& frame, const StandIn& stand_in, const Position& at) {
  const Spectrum spectrum(frame * stand_in.slope(at) * frame.transpose());
  const Position values = spectrum.values() / spectrum.values().mean();
  return spectrum.with(values.cwiseMax(kLeastOfThresholds).cwiseSqrt().cwiseInverse()) * frame;
}

}  // namespace

OnceRelease release_once(const OnceSettings& settings, QueryInterface& interface) {
  check(settings);
  PaidQuestions questions(interface, settings.cost, settings.go_on);
  OnceFacts known = settings.facts;
  const Counted counted = released_rows(known, questions);
  if (settings.counted && counted.variance > 0) settings.counted(counted.rows);
  Zoomed zoomed = zoom(std::move(known), counted.rows, questions);
  const OnceFacts& facts = zoomed.facts;
  UsableRows usable = zoomed.usable;
  // Noisy numbers are of usable rows already.
  const auto usable_rows = [&] {
    return counted.variance > 0 ? NoisyVector{Position::Constant(1, counted.rows), counted.variance}
                                : usable.of(counted.rows);
  };
  // Responses that are counted in bins tell it too.
  const bool told_later = facts.thresholds || facts.link == Link::log_rate ||
                          (facts.link != Link::logit && facts.constant().size() > 0);
  if (counted.variance == 0 && !usable.counted() && !told_later)
    usable.add(questions.ask<NoisyVector>(TotalQuery{TotalOf::rows, questions.pay(kUsableShare)}));
  Frame frame = find_frame(facts, usable_rows().value[0], questions);
  std::optional<FirstThresholds> thresholds;
  if (facts.thresholds) {
    const auto counts = questions.ask<NoisyVector>(category_counts(facts, questions.pay(kCategoriesShare)));
    thresholds = first_thresholds(facts, counts);
    zoomed.facts.threshold_weights = thresholds->weights;
    usable.add(counts);
  }

  Place start{Position::Zero(facts.dim()), {facts.sigma.value_or(1)}};
  FirstIntercept intercept;
  const Position constant = facts.constant();
  if (thresholds) {
    start.at = thresholds->at;
  } else if (constant.size() > 0) {
    intercept = first_intercept(facts, usable_rows(), questions);
    if (intercept.counted) usable.add(*intercept.counted);
    std::move(intercept.at_bounds.begin(), intercept.at_bounds.end(), std::back_inserter(zoomed.at_bounds));
    start.at = intercept.value * constant;
  }
  const NoisyVector rows = usable_rows();
  const StandIn stand_in(facts, frame.matrix, rows.value[0], frame.resolved, zoomed.offsets);
  if (facts.offset) start.at += offset_alone(facts, stand_in);
  double unit = 1;
  if (facts.clips()) {
    const ResidualSpread spread = residual_spread(facts, stand_in, start.at, Look::first, nullptr, questions);
    if (!facts.sigma) start.spread = spread;
    // With its tails: where most responses are equal, the median of their distances says nothing of their spread.
    if (facts.link == Link::identity) {
      unit = std::sqrt(spread.scale * spread.scale + spread.tails.square(facts.response.width()));
    }
  }
  ResolvedPrior prior =
      resolve_prior(settings.priors, facts, stand_in, unit,
                    facts.link == Link::identity || facts.steps ? intercept : FirstIntercept{});
  const JointNormalPrior locating = locating_prior(stand_in, facts, kReach * unit, unit, prior);
  Located located = locate(facts, stand_in, frame, std::move(start), locating, questions);
  if (facts.link != Link::identity) {
    frame.matrix = facts.thresholds ? whitened_information(frame.matrix, stand_in, located.place.at)
                                    : towards_information(frame.matrix, stand_in, located.place.at);
  }
  OnceRelease release{.facts = facts,
                      .rows = rows.value[0],
                      .rows_variance = rows.variance,
                      .frame = std::move(frame),
                      .stand_in = stand_in,
                      .weighed = stand_in,
                      .prior = std::move(prior),
                      .unit = unit,
                      .located = std::move(located),
                      .rounds = {},
                      .pooled = {}};
  release.spread = release.located.place.spread;
  release.at_bounds = std::move(zoomed.at_bounds);
  release.few_usable = intercept.few_usable;
  release.not_all_usable = intercept.not_all_usable;
  if (counted.variance == 0) {  // else they were counted among the usable ones
    release.few_usable = few_usable(usable.number(), counted.rows);
    release.not_all_usable = not_all_usable(usable.number(), counted.rows);
  }
  if (!release.few_usable) release.few_usable = release.frame.few_usable;
  release.nearly_all = intercept.nearly_all;
  release.no_zero_seen = intercept.no_zero_seen;
  release.hardly_lived = intercept.hardly_lived;
  release.rows_seen = counted.seen;
  if (thresholds) release.hardly_any = std::move(thresholds->hardly_any);
  ask_rounds(release, locating, questions);
  return release;
}

}  // namespace sotto
