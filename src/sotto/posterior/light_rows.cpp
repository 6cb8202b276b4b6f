#include "sotto/posterior/light_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kClearWeight = 3;      // standard deviations
constexpr double kLeans = 2;            // likewise
constexpr double kLeastWeight = 0.005;  // of the rows

}  // namespace

LightRows light_rows(const PlanPoint& point, const BoundsPlan& plan, const NoisyVector& answer, double move) {
  const double rows = point.stand_in.rows();
  const double count = std::max(answer.value[0], 0.0);
  LightRows found{count / rows};
  const double noise = std::sqrt(answer.variance);
  if (count < std::max(kLeastWeight * rows, 2 * noise)) return found;
  // A move of the linear predictor is so many times larger where rows lie far out.
  const double distance = 2 * plan.score_bound / (plan.unit_rows * plan.typical);
  const double moved = count * std::min(1.0, move * distance * plan.level / plan.typical /
                                                 std::sqrt(static_cast<double>(point.facts.dim())));
  const double sd = std::sqrt(answer.variance + count * point.facts.mean_unit_rows() + moved * moved);
  const Position direction = answer.value.tail(answer.value.size() - 1);
  for (Eigen::Index j = point.facts.intercept ? 1 : 0; j < point.facts.unknown(); ++j) {
    const Position towards = point.frame.col(j).normalized();
    const double off = std::abs(direction.dot(towards)) / sd;
    if (off > kLeans) (off > kClearWeight ? found.columns : found.leaning).push_back(j);
  }
  return found;
}

}  // namespace sotto
