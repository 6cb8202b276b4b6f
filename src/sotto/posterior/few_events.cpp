#include "sotto/posterior/few_events.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr double kRarer = 0.05;     // than over all rows
constexpr double kFewOfNoise = 12;  // standard deviations
constexpr double kExclude = 0.8;    // of the covariance of columns that are never one together
constexpr double kSmallFall = 0.4;
constexpr double kClearFall = 3;      // standard deviations
constexpr double kLeastFirst = 0.01;  // of the rows

}  // namespace

FewEvents find_few_events(const OnceRelease& release) {
  FewEvents found;
  const OnceFacts& facts = release.facts;
  if (facts.steps || (facts.link != Link::log && facts.link != Link::log_rate)) return found;
  const StandIn& stand_in = release.stand_in;
  const Matrix& frame = release.frame.matrix;
  const BoundsPlan& plan = release.rounds.back().plan;
  const NormalBase base = normal_base(release.pooled, frame, release.prior.normal);
  const Position at = release.pooled.anchor + frame.transpose() * base.mean;
  const double noise = std::sqrt(release.pooled.score_variance);
  const auto mean_of = [&](const Position& row) {
    return stand_in.averages(at.dot(row), at.dot(stand_in.within() * at))[0];
  };
  double typical = 0;
  for (const Part& part : stand_in.parts()) typical += part.share * mean_of(part.mean);
  const auto few = [&](const Position& row, double share) {
    const double mean = mean_of(row);
    const double length = (frame * row).norm();
    const double weight = std::min(1.0, plan.score_bound / (plan.unit_rows * plan.typical * length));
    return mean < kRarer * typical && share * release.rows * mean < kFewOfNoise * noise / (weight * length);
  };
  // Without any, every step takes the logarithm of the mean down by one, and the steps end some day.
  const Position step = frame.transpose() * base.mean;
  const Matrix spread = frame.transpose() * base.covariance * frame;
  const auto still_falls = [&](Eigen::Index j) {
    return step[j] < -kSmallFall && step[j] < -kClearFall * std::sqrt(spread(j, j));
  };
  found.in_first = facts.intercept && still_falls(0);
  const Position& mean = stand_in.mean();
  const Matrix& covariance = stand_in.covariance();
  std::vector<Eigen::Index> levels;
  for (Eigen::Index j = facts.intercept ? 1 : 0; j < facts.unknown(); ++j) {
    const bool zero_or_one =
        facts.indicator[static_cast<std::size_t>(j)] && facts.range[static_cast<std::size_t>(j)].width() == 1;
    if (!zero_or_one || facts.in_group(j) || !(covariance(j, j) > 0) || !(mean[j] > 0)) continue;
    levels.push_back(j);
    const Position with = mean + covariance.col(j) * ((1 - mean[j]) / covariance(j, j));
    if (still_falls(j) || few(with, mean[j])) found.levels.push_back(j);
  }
  for (const Eigen::Index j : levels) {
    // Levels of one category exclude each other; rows of none of them have its first.
    std::vector<Eigen::Index> category;
    for (const Eigen::Index k : levels) {
      if (k == j || covariance(j, k) < -kExclude * mean[j] * mean[k]) category.push_back(k);
    }
    const Position shares = mean(category);
    if (1 - shares.sum() < kLeastFirst) continue;
    const Matrix within = covariance(category, category);
    const Cholesky weight(within);
    if (!weight.is_positive_definite()) continue;
    const Position first = mean - covariance(Eigen::all, category) * weight.solve(Matrix(shares)).col(0);
    found.in_first = found.in_first || few(first, 1 - shares.sum());
  }
  return found;
}

}  // namespace sotto
