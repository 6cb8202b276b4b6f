// Long chains against closed forms: a multivariate normal mean and the banana, with a large budget.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/batch_means.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Position vector_of(std::initializer_list<double> values) {
  Position result(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

struct Problem {
  Rows rows;
  LocationModel model;
  Bend bend;
  LogPrior prior;
  Position mean;      // of the posterior, in the coordinates of the mean
  Position variance;  // likewise; the posterior is a product there
};

Problem make_problem(Bend bend) {
  constexpr std::size_t n = 2000;
  const Position precision = vector_of({0.5, 2.0});
  const double prior_precision = 0.1;
  Rows rows(n, 2);
  ChainRng rng(11);
  Position total = Position::Zero(2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      rows.at(i, j) = std::clamp((j == 0 ? 0.2 : 1.0) + rng.normal() / std::sqrt(precision[k]), -4.0, 4.0);
      total[k] += rows.at(i, j);
    }
    rows.weight(i) = 1;
  }
  const Eigen::ArrayXd posterior_precision = static_cast<double>(n) * precision.array() + prior_precision;
  LogPrior prior{[=](const Position& x) { return -prior_precision / 2 * bend.mean(x).squaredNorm(); },
                 [=](const Position& x) {
                   Position g = -prior_precision * bend.mean(x);
                   bend.pull_back(x, g);
                   return g;
                 }};
  return {std::move(rows),
          LocationModel({{-4, 4}, {-4, 4}}, precision.asDiagonal(), bend),
          bend,
          prior,
          precision.array() * total.array() / posterior_precision,
          posterior_precision.inverse()};
}

// Mean and variance of both coordinates within 4.5 standard errors: false alarm below 3e-5 for each of the four.
template <Kernel K>
void expect_closed_form(Problem problem, const K& kernel, std::size_t draws) {
  Budget budget(Epsilon(1e9), Delta(1e-6));
  TestEntropy entropy(5);
  const Bend bend = problem.bend;
  DataOwner owner(std::move(problem.rows), problem.model, PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  Position start = problem.mean;
  start[1] -= bend.mean(start)[1] - start[1];
  const std::vector<Position> starts(2, start);
  const auto chains = run_chains(kernel, std::span<const Position>(starts), owner,
                                 {.warmup = 1000, .draws = draws, .thin = 1, .seed = 3},
                                 [&](const Position& x) { return bend.mean(x); });
  Matrix all(static_cast<Eigen::Index>(2 * draws), 2);
  all << chains[0].draws, chains[1].draws;
  for (Eigen::Index j = 0; j < 2; ++j) {
    const Eigen::VectorXd z = (all.col(j).array() - problem.mean[j]) / std::sqrt(problem.variance[j]);
    EXPECT_LT(std::abs(z.mean()), 4.5 * standard_error(z)) << j;
    const Eigen::VectorXd square = z.array().square();
    EXPECT_LT(std::abs(square.mean() - 1), 4.5 * standard_error(square)) << j;
    EXPECT_LT(standard_error(z), 0.1) << j;  // the chain did move
  }
}

TEST(Location, penalty_reaches_the_normal_posterior) {
  const Problem problem = make_problem({});
  expect_closed_form(
      make_problem({}),
      PenaltyMetropolis({.cost = Rho(1000), .proposal = problem.variance.asDiagonal()}, problem.prior),
      20000);
}

TEST(Location, hmc_reaches_the_normal_posterior) {
  const Problem problem = make_problem({});
  expect_closed_form(make_problem({}),
                     Hmc({.ratio_cost = Rho(1000),
                          .gradient_cost = Rho(100),
                          .steps = 5,
                          .step_size = 0.3,
                          .inverse_mass = problem.variance.asDiagonal()},
                         problem.prior),
                     6000);
}

TEST(Location, penalty_reaches_the_banana_posterior) {
  const Problem problem = make_problem({2, 0, 0});
  expect_closed_form(
      make_problem({2, 0, 0}),
      PenaltyMetropolis({.cost = Rho(1000), .proposal = problem.variance.asDiagonal()}, problem.prior),
      40000);
}

TEST(Location, hmc_reaches_the_banana_posterior) {
  const Problem problem = make_problem({2, 0, 0});
  expect_closed_form(make_problem({2, 0, 0}),
                     Hmc({.ratio_cost = Rho(1000),
                          .gradient_cost = Rho(100),
                          .steps = 5,
                          .step_size = 0.3,
                          .inverse_mass = problem.variance.asDiagonal()},
                         problem.prior),
                     8000);
}

}  // namespace
}  // namespace sotto
