#include "sotto/posterior/matching_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/displacement.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kMostDraws = 1000;
constexpr Eigen::Index kLeastDraws = 100;
constexpr double kWork = 5e7;  // of draws times the cube of the dimension

/// Evenly spaced among all; one a row.
Matrix some_draws(const std::vector<Chain>& chains, Eigen::Index dim) {
  const Eigen::Index each = chains.front().draws.rows();
  const Eigen::Index all = each * static_cast<Eigen::Index>(chains.size());
  const auto affordable = static_cast<Eigen::Index>(kWork / std::pow(static_cast<double>(dim), 3));
  const Eigen::Index count = std::min(all, std::clamp(affordable, kLeastDraws, kMostDraws));
  Matrix some(count, dim);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index k = i * all / count;
    some.row(i) = chains[static_cast<std::size_t>(k / each)].draws.row(k % each).head(dim);
  }
  return some;
}

}  // namespace

MatchingShift matching_shift(const OnceRelease& release, const OncePosterior& posterior) {
  const OnceFacts& facts = release.facts;
  const Eigen::Index d = facts.dim();
  MatchingShift shift{Position::Zero(d), Position::Zero(d)};
  if (facts.link == Link::identity || posterior.chains.empty() || posterior.chains.front().draws.rows() == 0)
    return shift;
  const PooledRelease& pooled = release.pooled;
  const Displacement displacement(release.stand_in, release.frame.matrix, pooled.anchor);
  const Matrix draws = some_draws(posterior.chains, d);
  const double v = pooled.information_variance;
  for (Eigen::Index i = 0; i < draws.rows(); ++i) {
    const Position at = draws.row(i).transpose();
    const Position h = displacement(at);
    Matrix covariance = pooled.spread + v / 2 * h * h.transpose();
    covariance.diagonal().array() += pooled.score_variance + v / 2 * h.squaredNorm();
    const Matrix back = inverse(pooled.information * displacement.derivative(at));
    const Matrix variance = back * covariance * back.transpose();
    const Position sd = variance.diagonal().cwiseSqrt();
    const Position t = (back * (pooled.information * h - pooled.score)).cwiseQuotient(sd);
    shift.all += t / static_cast<double>(draws.rows());
  }
  const Position mean = draws.colwise().mean();
  const Matrix moved = draws.rowwise() - mean.transpose();
  const Matrix covariance = moved.transpose() * moved / static_cast<double>(draws.rows());
  const Position slope = release.prior.normal.precision * (release.prior.normal.location - mean);
  for (Eigen::Index j = 0; j < d; ++j) {
    if (facts.in_group(j) || !std::isfinite(shift.all[j])) shift.all[j] = 0;
    if (shift.all[j] == 0 || !(covariance(j, j) > 0)) continue;
    shift.of_volume[j] = shift.all[j] - covariance.row(j).dot(slope) / std::sqrt(covariance(j, j));
  }
  return shift;
}

}  // namespace sotto
