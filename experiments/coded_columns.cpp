// Fifty correlated coded columns: how well release-once predicts, beside objective perturbation, a point estimate without intervals, and
// how wide its intervals are, at several budgets: the table of docs/release-once.md.
//   coded_columns [DATA_SETS]
// Source     objective perturbation [KST12, Algorithm 1]
#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "sotto/entropy/entropy.hpp"
#include "support/once_wall_study.hpp"
#include "support/reachable_limit.hpp"
#include "support/regression_designs.hpp"

namespace {

using namespace sotto;

constexpr Eigen::Index kRows = 20000;
constexpr double kDelta = 1e-6;

Position probabilities(const Position& predictors) { return (1 + (-predictors.array()).exp()).inverse(); }

/// The share of pairs of a one and a zero of which the one has the larger value.
double area_under_curve(const Position& values, const Position& y) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, [&](Eigen::Index a, Eigen::Index b) { return values[a] < values[b]; });
  double ranks = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (y[order[i]] > 0) ranks += static_cast<double>(i) + 1;
  const double ones = y.sum();
  return (ranks - ones * (ones + 1) / 2) / (ones * (static_cast<double>(y.size()) - ones));
}

/// Numbers over their bounds, and what rows are longer than `radius` shortened to that.
Matrix scaled_rows(const SimulatedRegression& data, double radius) {
  Matrix rows = data.x;
  for (Eigen::Index j = 1; j < rows.cols(); ++j)
    rows.col(j) /= std::max(data.column_range[static_cast<std::size_t>(j)].upper, 1.0);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) rows.row(i) *= std::min(1.0, radius / rows.row(i).norm());
  return rows;
}

/// The logistic loss of rows no longer than `radius`, with as much curvature and a random slope as the promise needs.
Position objective_perturbation(const Matrix& rows, const Position& y, double radius, double epsilon,
                                ChainRng& rng) {
  const Eigen::Index d = rows.cols();
  const double curvature = 2 * (radius * radius / 4) / epsilon;
  const double noise = radius * std::sqrt(8 * std::log(2 / kDelta) + 4 * epsilon) / epsilon;
  const Position slope = noise * rng.normals(d);
  Position at = Position::Zero(d);
  for (int step = 0; step < 50; ++step) {
    const Position p = probabilities(rows * at);
    const Position gradient = rows.transpose() * (p - y) + curvature * at + slope;
    Matrix hessian = rows.transpose() * p.cwiseProduct(Position(1 - p.array())).asDiagonal() * rows;
    hessian.diagonal().array() += curvature;
    const Position move = hessian.llt().solve(gradient);
    at -= move * std::min(1.0, 5 / move.norm());
    if (move.norm() < 1e-8) break;
  }
  return at;
}

struct Row {
  double once = 0, perturbed = 0, clear = 0, ratio = 0, limit = 0, covered = 0, warned = 0;
};

/// `sets` tables and as many of new rows, drawn from the same coefficients.
Row run(double epsilon, int sets) {
  SystemEntropy entropy;
  Row sum;
  for (int i = 0; i < sets; ++i) {
    ChainRng rng(2000 + static_cast<std::uint64_t>(i));
    const SimulatedRegression data = designs::coded(kRows, rng);
    SimulatedRegression later = designs::coded(kRows, rng);
    later.truth = data.truth;
    respond(later, {0, 1}, rng);
    const NormalFit reference = non_private(data);
    const OnceOutcome outcome =
        study_through_the_wall(data, {epsilon, kDelta, Adjacency::substitute}, reference, entropy, 1000,
                               static_cast<std::uint64_t>(i));
    sum.once += area_under_curve(later.x * outcome.mean, later.y);
    sum.clear += area_under_curve(later.x * reference.mean, later.y);
    // Its radius is chosen with knowledge of the outcome.
    double best = 0;
    for (const double radius : {1., 1.7, 2.4, 3.2}) {
      const Position at = objective_perturbation(scaled_rows(data, radius), data.y, radius, epsilon, rng);
      best = std::max(best, area_under_curve(scaled_rows(later, HUGE_VAL) * at, later.y));
    }
    sum.perturbed += best;
    sum.ratio += outcome.sd_ratio;
    sum.limit += reachable_limit(data, reference, outcome.rho, 2);
    sum.covered += outcome.covered;
    sum.warned += outcome.verdict.warns() ? 1 : 0;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int sets = argc > 1 ? std::stoi(argv[1]) : 10;
  const double n = sets;
  fmt::print(
      "| epsilon | data sets | AUC, release-once | objective perturbation | without privacy | sd ratio | "
      "limit | over it | coverage of 90 % "
      "intervals | warned |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const double epsilon : {0.1, 0.5, 1., 2.}) {
    const Row r = run(epsilon, sets);
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.2f} | {:.2f} | {:.1f} | {:.3f} | {:.2f} |\n",
               epsilon, sets, r.once / n, r.perturbed / n, r.clear / n, r.ratio / n, r.limit / n,
               r.ratio / r.limit, r.covered / n, r.warned / n);
    std::fflush(stdout);
  }
  return 0;
}
