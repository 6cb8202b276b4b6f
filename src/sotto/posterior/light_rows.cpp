#include "sotto/posterior/light_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kLightAreThere = 1.5;  // standard deviations of its noise
constexpr double kLeastLight = 0.005;   // of the rows
constexpr double kClearLight = 2;       // standard deviations of its noise
constexpr double kClearWeight = 3;      // standard deviations
constexpr double kSpare = 1.5;          // of the variance of rows' residuals, where rows lie far out
constexpr double kOthers = 0.01;        // of the rows: rows that little is taken of count as so many

}  // namespace

LightRows light_rows(const PlanPoint& point, const BoundsPlan& plan, const NoisyVector& answer, double move) {
  const double rows = point.stand_in.rows();
  const double count = std::max(answer.value[0] / LightRowsQuery::kCount, 0.0);
  LightRows found{count / rows};
  const auto d = static_cast<double>(point.facts.dim());
  // A move of the linear predictor is so many times larger where rows lie far out.
  const double distance = 2 * plan.score_bound / (plan.unit_rows * plan.typical);
  const double far_moved = count * std::min(1.0, move * distance * plan.level / plan.typical / std::sqrt(d));
  const double others_moved = (1 - plan.kept) * rows * plan.level * move / plan.score_bound;
  const double of_bound = std::min(1.0, kSpare * plan.dispersion / (plan.typical * plan.typical));
  const double sampling = (count + kOthers * rows) * of_bound * point.facts.mean_unit_rows();
  const double sd =
      std::sqrt(answer.variance + sampling + far_moved * far_moved + others_moved * others_moved);
  found.hides = 2 * sd * plan.score_bound;
  const Position direction = answer.value.tail(answer.value.size() - 1);
  const double count_noise = std::sqrt(answer.variance) / LightRowsQuery::kCount;
  found.clear = count > std::max(kLeastLight * rows, kClearLight * count_noise);
  const bool there = count > std::max(kLeastLight * rows, kLightAreThere * count_noise);
  found.lean = Position::Zero(point.facts.dim());
  for (Eigen::Index j = point.facts.intercept ? 1 : 0; j < point.facts.unknown(); ++j) {
    const Position towards = point.frame.col(j).normalized();
    found.lean[j] = direction.dot(towards) / sd;
    if (there && std::abs(found.lean[j]) > kClearWeight) found.columns.push_back(j);
  }
  return found;
}

}  // namespace sotto
