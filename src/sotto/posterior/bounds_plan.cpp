#include "sotto/posterior/bounds_plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "sotto/math/clipped_normal.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/part_weights.hpp"

namespace sotto {
namespace {

constexpr double kLeastWidth = 0.95;  // below, all weights fall alike
constexpr int kWidths = 15;
constexpr double kFinerWidth = 0.92;
constexpr double kUnevenWeights = 0.35;  // what weights of 1 - c lose of a part's information
constexpr double kSpareWidth = 0.02;
constexpr double kSpareStop = 0.04;
constexpr double kWidestOfAll = 10;    // where all rows count in full, as there is as good as no noise
constexpr double kStepOfWidth = 1.25;  // a step towards it
constexpr double kNoNoise = 0.01;      // standard deviation over that of sampling
constexpr double kSpareClip = 1.02;
constexpr double kNoiseOfSpareClip = 0.01;  // over what clipped residuals vary
constexpr int kWidestClip = 31;             // 34 standard deviations
constexpr int kWidestSpare = 23;            // 8.5: noise on sigma grows with the square of the clip
constexpr double kSkewOfMeans = 1.2;        // mean of m^2 over the squared mean
constexpr double kSlopeHeadroom = 1.3;      // of a residual's slope over its mean
constexpr double kStop = 3;
constexpr double kLaterStop = 6;
constexpr double kInformationShare = 0.12;
constexpr double kLikeness = 0.5;    // guess of the correlation of a unit's residuals
constexpr double kLongestSum = 2.5;  // of their sum's standard deviation
constexpr double kKnownEntry =
    0.03;                       // entries of the information that are known so well need no tighter bound
constexpr double kLoosest = 5;  // times a typical row's: rows of a rare level are far longer

/// The clip, in standard deviations, of least error, with what it takes off skewed residuals' mean; the largest that costs
/// little more where residuals' tails look normal, and the largest whose noise is little where they do not: the model's own
/// posterior clips nothing.
/// `noise`: variance of the score's noise at clip 1 over the score's own.
double choose_clip(double noise, const ResidualSpread& spread, double rows) {
  const double s = spread.scale;
  const auto square = [&](double clip) {
    return clipped_normal(clip).square + spread.tails.square(clip * s) / (s * s);
  };
  const auto variance = [&](double clip) {
    const double slope = std::max(clipped_normal(clip).slope - spread.tails.beyond(clip * s), 0.1);
    const double bias = spread.skewness.bias({clip * s}).square.trace() / (s * s);
    return (square(clip) + noise * clip * clip + rows * bias) / (slope * slope);
  };
  const auto clip = [](int i) { return i <= 17 ? 1.3 + 0.1 * i : 3 * std::exp2((i - 17) / 4.0); };
  int best = 0;
  for (int i = 1; i <= kWidestClip; ++i) {
    if (variance(clip(i)) < variance(clip(best))) best = i;
  }
  const double least = variance(clip(best));
  const auto costs_little = [&](double wider) {
    return spread.tails.cells.empty() ? variance(wider) <= least * kSpareClip
                                      : noise * wider * wider <= kNoiseOfSpareClip * square(wider);
  };
  while (best < kWidestSpare && costs_little(clip(best + 1))) ++best;
  return clip(best);
}

/// Where a time at risk stops to count, in cumulated hazard: 1 in 20 of those who have events early come later, or 1 in 400 where
/// the noise of bounds so wide is small.
/// `noise`: variance of the score's noise at bound 1 over the score's own.
double choose_stop(double noise) {
  const auto noise_of = [&](double stop) { return noise * (1 + stop) * (1 + stop); };
  return noise_of(kLaterStop) - noise_of(kStop) < kSpareStop ? kLaterStop : kStop;
}

/// `cost`: twice the rho of score and information together.
void set_bounds(BoundsPlan& plan, const PlanPoint& point, double typical_slope, double cost) {
  const auto d = static_cast<double>(point.facts.dim());
  // Of the largest units, whose rows' lengths average, the bound is to take no more than of the others.
  const double of_mean = point.facts.unit_sizes && plan.unit_rows > 1 ? 1 : kTypicalToMean;
  plan.score_bound = of_mean * plan.width * std::sqrt(d) * plan.typical * plan.unit_rows;
  plan.information_bound = plan.width * plan.width * d * typical_slope * plan.unit_rows;
  const double known = kKnownEntry * point.stand_in.rows() * plan.level *
                       std::sqrt(cost * kInformationShare) / std::numbers::sqrt2;
  plan.information_bound = std::clamp(known, plan.information_bound, kLoosest * plan.information_bound);
}

/// Variance of an estimate at a width, given that of the noise, over what it is without weights and noise; noise's is over the score's own.
using WidthLoss = std::function<double(double width, double noise)>;

/// Of one part, or of weights of other sums than of rows.
double loss_of_one(double width, double noise) {
  const double kept = kept_weight(width);
  return 1 + noise / (kept * kept) + kUnevenWeights * (1 - kept);
}

/// Its mean over directions.
WidthLoss loss_of_parts(const PlanPoint& point, const BoundsPlan& plan, double typical_slope, double cost) {
  const auto per_row = [&](const Position& weights) -> Matrix {
    return point.frame * point.stand_in.weighted(weights).slope(point.at) * point.frame.transpose() /
           (point.stand_in.rows() * plan.level);
  };
  const Matrix all = per_row(Position::Ones(static_cast<Eigen::Index>(point.stand_in.parts().size())));
  return [=, &point](double width, double noise) {
    BoundsPlan at_width = plan;
    at_width.width = width;
    set_bounds(at_width, point, typical_slope, cost);
    const Position weights = part_weights(point.stand_in, point.frame, point.at, at_width, point.facts);
    const Position uneven = (1 + kUnevenWeights) - kUnevenWeights * weights.array();
    Matrix covariance = per_row(weights.cwiseAbs2().cwiseProduct(uneven));
    covariance.diagonal().array() += noise;
    const Matrix back = Cholesky(per_row(weights)).inverse();
    return (all * back * covariance * back).trace() / static_cast<double>(all.rows());
  };
}

double choose_width(double score_noise, double information_noise, const WidthLoss& loss) {
  const auto noise = [&](double width) {
    return std::sqrt(score_noise) * width + std::sqrt(information_noise) * width * width;
  };
  const auto width = [](int i) { return std::max(kUsualBounds * std::pow(kFinerWidth, i), kLeastWidth); };
  std::vector<double> variance;
  for (int i = 0; i < kWidths; ++i) variance.push_back(loss(width(i), std::pow(noise(width(i)), 2)));
  const double least = *std::ranges::min_element(variance);
  int best = 0;
  while (variance[static_cast<std::size_t>(best)] > least + kSpareWidth) ++best;
  double widest = width(best);
  while (widest > kUsualBounds - 1e-9 && widest < kWidestOfAll && noise(widest * kStepOfWidth) < kNoNoise)
    widest *= kStepOfWidth;
  return widest;
}

}  // namespace

double kept_weight(double width) {
  const double t = std::max(width, kLeastWidth) - 1;
  return std::min(width / kLeastWidth, 1.0) * (1 - std::exp(-3 * t - t * t) / 4);
}

BoundsPlan plan_bounds(const PlanPoint& point, const PaidQuestions& questions, double share) {
  const OnceFacts& facts = point.facts;
  const auto d = static_cast<double>(facts.dim());
  const double rows = point.stand_in.rows();
  const double cost = 2 * questions.rho() * share;
  const double reach2 = facts.vector_reach() * facts.vector_reach();
  BoundsPlan plan;
  const Matrix slope = point.frame * point.stand_in.slope(point.at) * point.frame.transpose();
  const double level = std::max(slope.trace() / (d * rows), 0.3 * point.stand_in.variance(point.at));
  double typical_slope = 1;  // of the residual
  if (facts.unit_sizes) plan.unit_rows = most_unit_rows(*facts.unit_sizes);
  switch (facts.link) {
    case Link::logit:
      plan.typical = point.stand_in.typical_residual(point.at);
      typical_slope = facts.pieces * std::min(0.25, kSlopeHeadroom * level);
      plan.dispersion = plan.level = level;
      if (facts.thresholds) {
        typical_slope = kSlopeHeadroom * facts.pieces * level;
        plan.thresholds = facts.threshold_weights;
        plan.typical = point.stand_in.typical_ordered_score(point.at, point.frame) / std::sqrt(d);
        plan.dispersion = point.stand_in.ordered_dispersion(point.at) * level;
      }
      break;
    case Link::log_rate:
      plan.clip = choose_stop(reach2 * d / cost / (rows * level));
      plan.typical = 1 + std::min(plan.clip, (facts.pieces - 1) * level);
      plan.typical = std::max(plan.typical, std::min(plan.clip, facts.pieces * level));
      typical_slope = kSlopeHeadroom * std::min(plan.clip, facts.pieces * level);
      plan.dispersion = plan.level = level;
      break;
    case Link::log:
    case Link::identity: {
      const bool counts = facts.link == Link::log;
      plan.count_dispersion = counts ? point.spread.dispersion : 0;
      const double poisson = counts ? std::max(1.0, level) : 1;
      const double variance =
          counts ? std::max(1.0, level + kSkewOfMeans * plan.count_dispersion * level * level) : 1;
      // Of residuals in units of their law's standard deviation.
      const double scale =
          counts ? std::max(1.0, point.spread.scale * std::sqrt(poisson / variance)) : point.spread.scale;
      plan.residual_scale = scale;
      plan.dispersion = scale * scale * variance;
      plan.level = counts ? level : 1;
      plan.clip = scale * choose_clip(reach2 * d * 1.96 / cost / rows * plan.unit_rows, point.spread, rows);
      plan.typical = plan.clip * std::sqrt(variance);
      if (counts) typical_slope = kSlopeHeadroom * level;
      break;
    }
  }
  plan.score_noise = reach2 * d * plan.typical * plan.typical / cost / (rows * plan.dispersion);
  plan.score_noise *= plan.unit_rows * plan.unit_rows;
  const double entry = std::numbers::sqrt2 * typical_slope * plan.unit_rows * d / (plan.level * rows);
  plan.information_noise = 3 * 2 * d * entry * entry / cost;
  const bool sees_parts = point.stand_in.parts().size() > 1 && !facts.thresholds && !facts.unit_sizes;
  plan.width = choose_width(0.69 * plan.score_noise, plan.information_noise,
                            sees_parts ? loss_of_parts(point, plan, typical_slope, cost) : loss_of_one);
  plan.kept = kept_weight(plan.width) * (facts.unit_sizes ? facts.unit_sizes->kept(plan.unit_rows) : 1);
  set_bounds(plan, point, typical_slope, cost);
  if (facts.unit_sizes) {
    const double alike = plan.unit_rows * (1 + kLikeness * (plan.unit_rows - 1));
    plan.longest_score = plan.score_bound * std::min(1.0, kLongestSum * std::sqrt(plan.dispersion * alike) /
                                                              (plan.typical * plan.unit_rows));
  }
  return plan;
}

}  // namespace sotto
