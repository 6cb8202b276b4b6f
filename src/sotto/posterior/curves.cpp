#include "sotto/posterior/curves.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kSpread = 1.1101;        // sd of min(W^2, 4)
constexpr double kLevellingSpread = 0.8;  // root mean square, where three in four are at the lower end
constexpr double kBoundWidth = 1;         // of the bound, in a typical row's vectors
constexpr double kThirdMoment = 0.5;      // of a column, standardised: how much a move weighs
constexpr double kLevellingMoment = 1;    // likewise, of what levels off: its values are 1 at most
constexpr double kLongTailed =
    0.8;  // standard deviations over the mean, from the lower end: an even spread has .58
constexpr double kMostlyNoise = 1.5;  // standard deviation over that of sampling alone
constexpr double kClearCurve = 3.5;   // standard deviations
constexpr double kMayCurve = 1.5;     // likewise

}  // namespace

std::vector<Eigen::Index> columns_for_curves(const OnceFacts& facts) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = facts.intercept ? 1 : 0; j < facts.unknown(); ++j) {
    if (!facts.indicator[static_cast<std::size_t>(j)] && !facts.in_group(j)) columns.push_back(j);
  }
  return columns;
}

bool long_tailed(const OnceFacts& facts, const StandIn& stand_in, Eigen::Index column) {
  const double above = stand_in.mean()[column] - facts.range[static_cast<std::size_t>(column)].lower;
  return above > 0 && std::sqrt(std::max(stand_in.covariance()(column, column), 0.0)) > kLongTailed * above;
}

CurvesQuery curves_query(const PlanPoint& point, const BoundsPlan& plan,
                         const std::vector<Eigen::Index>& columns, Rho cost) {
  std::vector<ColumnCurve> curves;
  for (const Eigen::Index j : columns) {
    const double mean = point.stand_in.mean()[j];
    const double sd = std::sqrt(std::max(point.stand_in.covariance()(j, j), 1e-300));
    const double lower = point.facts.range[static_cast<std::size_t>(j)].lower;
    curves.push_back(long_tailed(point.facts, point.stand_in, j)
                         ? ColumnCurve{j, CurveShape::levelling, lower, mean - lower}
                         : ColumnCurve{j, CurveShape::square, mean, sd});
  }
  const double bound =
      kBoundWidth * kSpread * std::sqrt(static_cast<double>(columns.size())) * plan.typical * plan.unit_rows;
  return {point.at, plan.clip, plan.count_dispersion, std::move(curves), bound, cost};
}

Curves find_curves(const CurvesQuery& query, const NoisyVector& score, const BoundsPlan& plan, double rows,
                   double dispersion, double move) {
  Curves found;
  for (std::size_t k = 0; k < query.curves.size(); ++k) {
    const ColumnCurve& curve = query.curves[k];
    const bool square = curve.shape == CurveShape::square;
    const double moment = square ? kThirdMoment : kLevellingMoment;
    const double spread = square ? kSpread : kLevellingSpread;
    const double moved = moment * rows * plan.level * move;
    const double sampling = rows * dispersion * spread * spread;
    const double sd = std::sqrt(score.variance + sampling + moved * moved);
    const double off = std::abs(score.value[static_cast<Eigen::Index>(k)]) / sd;
    if (off > kClearCurve) {
      found.curved.push_back(curve.column);
    } else if (!square && (sd > kMostlyNoise * std::sqrt(sampling) || off > kMayCurve)) {
      found.hidden.push_back(curve.column);
    }
  }
  return found;
}

}  // namespace sotto
