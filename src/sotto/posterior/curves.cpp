#include "sotto/posterior/curves.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr double kSpread = 1.1101;  // sd of min(W^2, 4)
// Of what levels off, in standard deviations of its column over the column's mean: what no line explains of it, and what lines do.
// Log-normal columns, gamma's, counts with up to nine zeros in ten have .13 to .31 and .34 to .64 of that, and not more than the most.
constexpr double kLevellingSpread = 0.4;
constexpr double kMostLevellingSpread = 0.55;
constexpr double kLevellingMoment = 0.6;
constexpr double kLevellingLength = 0.8;  // root mean square and more
constexpr double kMomentDoubt = 0.5;      // of it
constexpr double kThirdMoment = 0.5;      // of a column, standardised: how much a move weighs
constexpr double kLongTailed =
    0.65;  // standard deviations over the mean, from the lower end: an even spread has .58; released moments shorten tails
constexpr double kTailsReach = 2.5;   // standard deviations from the mean that its declared values may lie
constexpr double kMayLevelOff = 0.4;  // likewise, where values begin at zero
constexpr double kMostlyNoise = 1.5;  // standard deviation over that of sampling alone
constexpr double kClearCurve = 3.5;   // standard deviations
constexpr double kMayCurve = 1.5;     // likewise

/// A column's standard deviation over its mean, from its lower end.
double relative_spread(const OnceFacts& facts, const StandIn& stand_in, Eigen::Index column) {
  const double above = stand_in.mean()[column] - facts.range[static_cast<std::size_t>(column)].lower;
  return above > 0 ? std::sqrt(std::max(stand_in.covariance()(column, column), 0.0)) / above : 0;
}

}  // namespace

std::vector<Eigen::Index> columns_for_curves(const OnceFacts& facts) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = facts.intercept ? 1 : 0; j < facts.unknown(); ++j) {
    if (!facts.indicator[static_cast<std::size_t>(j)] && !facts.in_group(j)) columns.push_back(j);
  }
  return columns;
}

bool long_tailed(const OnceFacts& facts, const StandIn& stand_in, Eigen::Index column) {
  const double sd = std::sqrt(std::max(stand_in.covariance()(column, column), 0.0));
  const double out = facts.range[static_cast<std::size_t>(column)].upper - stand_in.mean()[column];
  return relative_spread(facts, stand_in, column) > kLongTailed && out > kTailsReach * sd;
}

CurvesQuery curves_query(const PlanPoint& point, const BoundsPlan& plan,
                         const std::vector<Eigen::Index>& columns, Rho cost) {
  std::vector<ColumnCurve> curves;
  double squares = 0;  // of a typical row's vector
  for (const Eigen::Index j : columns) {
    const double mean = point.stand_in.mean()[j];
    const bool tail = long_tailed(point.facts, point.stand_in, j);
    const double relative = relative_spread(point.facts, point.stand_in, j);
    if (tail || (point.facts.from_zero[static_cast<std::size_t>(j)] && relative > kMayLevelOff)) {
      const double lower = point.facts.range[static_cast<std::size_t>(j)].lower;
      curves.push_back({j, CurveShape::levelling, lower, mean - lower});
      squares += std::min(std::pow(kLevellingLength * relative, 2), 1.0);
    }
    if (!tail) {
      const double sd = std::sqrt(std::max(point.stand_in.covariance()(j, j), 1e-300));
      curves.push_back({j, CurveShape::square, mean, sd});
      squares += kSpread * kSpread;
    }
  }
  double typical = plan.typical * plan.unit_rows;
  if (point.facts.thresholds) {
    const Matrix constant = point.facts.constant().transpose();
    typical = point.stand_in.typical_ordered_score(point.at, constant);
  }
  const double bound = typical * std::sqrt(squares);
  return {point.at, plan.clip, plan.count_dispersion, std::move(curves), bound, cost, plan.thresholds};
}

Curves find_curves(const CurvesQuery& query, const NoisyVector& score, const PlanPoint& point,
                   const BoundsPlan& plan, double dispersion, const NormalBase& mode, double noise_sd) {
  const double rows = point.stand_in.rows();
  const double level = rows * plan.level;
  const Matrix coordinates = inverse(point.frame);
  Curves found;
  for (std::size_t k = 0; k < query.curves.size(); ++k) {
    const ColumnCurve& curve = query.curves[k];
    double value = score.value[static_cast<Eigen::Index>(k)];
    if (curve.shape == CurveShape::square) {
      const double moved = kThirdMoment * level * std::hypot(mode.mean.norm(), noise_sd);
      const double sd = std::sqrt(score.variance + rows * dispersion * kSpread * kSpread + moved * moved);
      if (std::abs(value) > kClearCurve * sd) found.curved.push_back(curve.column);
      continue;
    }
    const double relative = relative_spread(point.facts, point.stand_in, curve.column);
    const double moment = level * std::min(kLevellingMoment * relative, 1.0);
    const double spread = std::min(kLevellingSpread * relative, kMostLevellingSpread);
    const double sampling = rows * dispersion * spread * spread;
    // A column's effect moves along its own row of the frame's inverse.
    const double move = coordinates.row(curve.column).normalized().dot(mode.mean);
    value -= moment * move;
    const double moved = moment * std::hypot(kMomentDoubt * move, noise_sd);
    const double sd = std::sqrt(score.variance + sampling + moved * moved);
    const double off = value / sd;
    if (std::abs(off) > kClearCurve) {
      found.curved.push_back(curve.column);
    } else {
      const bool hidden = sd > kMostlyNoise * std::sqrt(sampling) || std::abs(off) > kMayCurve;
      found.levelling.push_back({curve.column, off,
                                 hidden && (long_tailed(point.facts, point.stand_in, curve.column) ||
                                            point.facts.link != Link::logit)});
    }
  }
  std::ranges::sort(found.curved);
  found.curved.erase(std::unique(found.curved.begin(), found.curved.end()), found.curved.end());
  return found;
}

}  // namespace sotto
