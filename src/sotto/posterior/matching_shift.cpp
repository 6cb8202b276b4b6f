#include "sotto/posterior/matching_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/math/normal_probability.hpp"
#include "sotto/posterior/displacement.hpp"
#include "sotto/posterior/edgeworth.hpp"

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

MatchingShift matching_shift(const OnceRelease& release, const OncePosterior& posterior,
                             const Matrix& reported) {
  const OnceFacts& facts = release.facts;
  const Eigen::Index parameters = reported.rows();
  MatchingShift shift{Position::Zero(parameters), Position::Constant(parameters, 0.9),
                      Position::Zero(parameters)};
  if (facts.link == Link::identity || !facts.groups.empty() || posterior.chains.empty() ||
      posterior.chains.front().draws.rows() == 0)
    return shift;
  const PooledRelease& pooled = release.pooled;
  const Displacement displacement(release.weighed, release.frame.matrix, pooled.anchor);
  const bool follows = edgeworth(release).has_value();
  const double slope_at_anchor = displacement.averages_at_anchor().slope;
  const Matrix draws = some_draws(posterior.chains, facts.dim());
  const Eigen::Index unknown = facts.unknown();
  const Matrix of_unknown = reported.leftCols(unknown);
  Matrix t(draws.rows(), parameters);
  for (Eigen::Index i = 0; i < draws.rows(); ++i) {
    const Position at = draws.row(i).transpose();
    const Position h = displacement(at);
    const double level = follows ? displacement.averages_at(at).slope / slope_at_anchor : 1;
    const Cholesky spread(score_covariance(pooled, h * h.transpose(), level));
    const Matrix slope =
        spread.half_solve((pooled.information * displacement.derivative(at)).leftCols(unknown));
    const Cholesky known(slope.transpose() * slope);
    if (!spread.is_positive_definite() || !known.is_positive_definite()) return shift;
    const Position off = spread.half_solve(Matrix(pooled.information * h - pooled.score)).col(0);
    const Position sd = known.half_solve(of_unknown.transpose()).colwise().norm().transpose();
    t.row(i) = (of_unknown * known.solve(Position(slope.transpose() * off))).cwiseQuotient(sd);
  }
  const Position mean = draws.colwise().mean();
  const Matrix moved = (draws.rowwise() - mean.transpose()) * reported.transpose();
  const Position slope = release.prior.normal.precision * (release.prior.normal.location - mean);
  const Position pulled =
      moved.transpose() * ((draws.rowwise() - mean.transpose()) * slope) / static_cast<double>(draws.rows());
  for (Eigen::Index j = 0; j < parameters; ++j) {
    std::vector<double> all(t.col(j).begin(), t.col(j).end());
    const double sd = std::sqrt(moved.col(j).squaredNorm() / static_cast<double>(draws.rows()));
    if (!std::ranges::all_of(all, [](double one) { return std::isfinite(one); }) || !(sd > 0)) continue;
    shift.median[j] = quantile(all, 0.5);
    shift.held[j] = normal_probability(quantile(all, 0.95)) - normal_probability(quantile(all, 0.05));
    shift.of_slope[j] = pulled[j] / sd;
  }
  return shift;
}

}  // namespace sotto
