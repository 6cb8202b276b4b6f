#include "sotto/posterior/curves.hpp"

#include <cmath>
#include <utility>

namespace sotto {
namespace {

constexpr double kSpread = 1.1101;    // sd of min(W^2, 4)
constexpr double kBoundWidth = 1.5;   // of the bound, in a typical row's vectors
constexpr double kThirdMoment = 0.5;  // of a column, standardised: how much a move weighs
constexpr double kClearCurve = 4;     // standard deviations

}  // namespace

std::vector<Eigen::Index> columns_for_curves(const OnceFacts& facts) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = facts.intercept ? 1 : 0; j < facts.unknown(); ++j) {
    if (!facts.indicator[static_cast<std::size_t>(j)] && !facts.in_group(j)) columns.push_back(j);
  }
  return columns;
}

CurvesQuery curves_query(const PlanPoint& point, const BoundsPlan& plan, std::vector<Eigen::Index> columns,
                         Rho cost) {
  const Position mean = point.stand_in.mean()(columns);
  const Position sd = point.stand_in.covariance().diagonal()(columns).cwiseMax(1e-300).cwiseSqrt();
  const double bound =
      kBoundWidth * kSpread * std::sqrt(static_cast<double>(columns.size())) * plan.typical * plan.unit_rows;
  return {point.at, plan.clip, plan.count_dispersion, std::move(columns), mean, sd, bound, cost};
}

std::vector<Eigen::Index> curved_columns(const CurvesQuery& query, const NoisyVector& score,
                                         const BoundsPlan& plan, double rows, double dispersion,
                                         double move) {
  const double moved = kThirdMoment * rows * plan.level * move;
  const double sd = std::sqrt(score.variance + rows * dispersion * kSpread * kSpread + moved * moved);
  std::vector<Eigen::Index> curved;
  for (std::size_t k = 0; k < query.columns.size(); ++k) {
    if (std::abs(score.value[static_cast<Eigen::Index>(k)]) > kClearCurve * sd)
      curved.push_back(query.columns[k]);
  }
  return curved;
}

}  // namespace sotto
