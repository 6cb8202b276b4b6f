#include "experiments/published/synthetic_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/published/published_tuning.hpp"
#include "sotto/base/error.hpp"
#include "sotto/diagnostics/mmd.hpp"
#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

// The published rows have no bounds: only clipping bounds their influence.
constexpr Interval kWide{-1e5, 1e5};

Position unbent(const Bend& bend, Position mean) {
  mean[1] -= bend.a * (mean[0] - bend.m) * (mean[0] - bend.m) + bend.b;
  return mean;
}

// Row means about `truth`, with this precision of a row and this precision of the prior in every coordinate of the mean.
SyntheticProblem make(std::size_t n, const Position& truth, const Matrix& precision, double prior_precision,
                      const Bend& bend) {
  const Eigen::Index dim = truth.size();
  Rows rows(n, static_cast<std::size_t>(dim));
  ChainRng rng(2021);
  const Matrix row_factor = Cholesky(inverse(precision)).lower();
  Position total = Position::Zero(dim);
  for (std::size_t i = 0; i < n; ++i) {
    const Position row = bend.mean(truth) + row_factor * rng.normals(dim);
    for (Eigen::Index j = 0; j < dim; ++j) rows.at(i, static_cast<std::size_t>(j)) = row[j];
    rows.weight(i) = 1;
    total += row;
  }
  LogPrior prior{[=](const Position& x) { return -prior_precision / 2 * bend.mean(x).squaredNorm(); },
                 [=](const Position& x) {
                   Position g = -prior_precision * bend.mean(x);
                   bend.pull_back(x, g);
                   return g;
                 }};
  const Matrix covariance =
      inverse(static_cast<double>(n) * precision + prior_precision * Matrix::Identity(dim, dim));
  const Position mean = covariance * precision * total;
  const Matrix factor = Cholesky(covariance).lower();
  constexpr Eigen::Index kExact = 100000;  // for moments; the first 1,000 for the discrepancy
  Matrix draws(kExact, dim);
  for (Eigen::Index i = 0; i < kExact; ++i) draws.row(i) = unbent(bend, mean + factor * rng.normals(dim));
  const Position average = draws.colwise().mean();
  const Position sd = (draws.rowwise() - average.transpose()).array().square().colwise().mean().sqrt();
  return {
      .rows = std::move(rows),
      .model = LocationModel(std::vector<Interval>(static_cast<std::size_t>(dim), kWide), precision, bend),
      .prior = std::move(prior),
      .prior_precision = prior_precision,
      .truth = truth,
      .exact = draws.topRows(1000),
      .average = average,
      .sd = sd};
}

/// The last `kept(draws)` draws of every chain.
template <class Kept>
Matrix last_draws(std::span<const Chain> chains, const Kept& kept) {
  Eigen::Index rows = 0;
  for (const Chain& chain : chains) rows += kept(chain.draws.rows());
  Matrix pooled(rows, chains.front().draws.cols());
  Eigen::Index at = 0;
  for (const Chain& chain : chains) {
    const Eigen::Index some = kept(chain.draws.rows());
    pooled.middleRows(at, some) = chain.draws.bottomRows(some);
    at += some;
  }
  return pooled;
}

}  // namespace

SyntheticProblem make_synthetic_problem(const std::string& name, std::size_t rows) {
  if (name == "banana") {
    Matrix precision = Matrix::Zero(2, 2);
    precision.diagonal() << 0.0005, 0.0004;
    return make(rows, Position{{0, 3}}, precision, 0.001, {20, 0, 0});
  }
  if (name == "normal") {
    Position truth = Position::Zero(10);
    truth[1] = 3;
    return make(rows, truth, inverse(published_covariance()), 1e-4, {});
  }
  throw Error(ErrorCode::usage, "the problems are banana and normal");
}

Rows copy(const Rows& rows) {
  Rows result(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j <= rows.columns(); ++j) result.at(i, j) = rows.at(i, j);
  }
  return result;
}

std::vector<Position> published_starts(const SyntheticProblem& problem) {
  std::vector<Position> starts;
  for (std::uint64_t c = 0; c < 4; ++c) {
    ChainRng rng(4236482 + c);
    starts.push_back(problem.truth + problem.sd.mean() * rng.normals(problem.truth.size()));
  }
  return starts;
}

Matrix second_halves(std::span<const Chain> chains) {
  return last_draws(chains, [](Eigen::Index draws) { return draws - draws / 2; });
}

Matrix all_draws(std::span<const Chain> chains) {
  return last_draws(chains, [](Eigen::Index draws) { return draws; });
}

Distance distance(const Matrix& draws, const SyntheticProblem& problem) {
  const Position average = draws.colwise().mean();
  const Position sd = (draws.rowwise() - average.transpose()).array().square().colwise().mean().sqrt();
  const Eigen::Index step = std::max<Eigen::Index>(1, draws.rows() / 4000);
  Matrix some(draws.rows() / step, draws.cols());
  for (Eigen::Index i = 0; i < some.rows(); ++i) some.row(i) = draws.row(i * step);
  return {.mmd = std::sqrt(std::abs(mmd_squared(some, problem.exact, median_distance(some, problem.exact)))),
          .mean_error = (average - problem.average).norm() / problem.sd.mean(),
          .sd_ratio = (sd.array() / problem.sd.array()).mean()};
}

}  // namespace sotto
