// Logistic regression with two coefficients, a large budget: long chains against quadrature.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "support/batch_means.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kLogisticRows = 400;

Rows simulated() {
  Rows rows(kLogisticRows, 3);
  ChainRng rng(21);
  for (std::size_t i = 0; i < kLogisticRows; ++i) {
    const double x = 2 * rng.uniform() - 1;
    rows.at(i, 0) = 1;
    rows.at(i, 1) = x;
    rows.at(i, 2) = rng.uniform() < 1 / (1 + std::exp(0.3 - 1.2 * x)) ? 1 : 0;
    rows.weight(i) = 1;
  }
  return rows;
}

Glm logistic_model() {
  DomainComponent one{{0}, Matrix::Ones(1, 1)};
  DomainComponent x{{1}, Matrix(2, 1)};
  x.vertices << -1, 1;
  return {family::Bernoulli(), Domain({one, x}), {0, 1}};
}

// Mean and sd of both coefficients by the midpoint rule on a wide grid.
void quadrature(const Rows& rows, const LogPrior& prior, Position& mean, Position& sd) {
  constexpr int steps = 240;
  mean = sd = Position::Zero(2);
  double mass = 0;
  double reference = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < steps; ++i) {
      for (int j = 0; j < steps; ++j) {
        Position at(2);
        at << -1.2 + 2.0 * (i + 0.5) / steps, 0.2 + 2.4 * (j + 0.5) / steps;
        double log_p = prior.log_density(at);
        for (std::size_t r = 0; r < kLogisticRows; ++r) {
          const double eta = at[0] + at[1] * rows.at(r, 1);
          log_p += rows.at(r, 2) * eta - std::log1p(std::exp(eta));
        }
        if (pass == 0) {
          if ((i == 0 && j == 0) || log_p > reference) reference = log_p;
          continue;
        }
        const double p = std::exp(log_p - reference);
        mass += p;
        mean += p * at;
        sd += p * at.cwiseAbs2();
      }
    }
  }
  mean /= mass;
  sd = (sd / mass - mean.cwiseAbs2()).cwiseSqrt();
}

// Means and variances within 4.5 standard errors: false alarm below 3e-5 for each.
template <Kernel K>
void expect_quadrature(const K& kernel, const LogPrior& prior, std::size_t draws) {
  Position mean;
  Position sd;
  quadrature(simulated(), prior, mean, sd);
  Budget budget(Epsilon(1e9), Delta(1e-6));
  TestEntropy entropy(6);
  DataOwner owner(simulated(), logistic_model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  const std::vector<Position> starts(1, mean);
  const auto chains =
      run_chains(kernel, std::span<const Position>(starts), owner,
                 {.warmup = 1000, .draws = draws, .thin = 1, .seed = 8}, [](const Position& x) { return x; });
  for (Eigen::Index j = 0; j < 2; ++j) {
    const Eigen::VectorXd z = (chains[0].draws.col(j).array() - mean[j]) / sd[j];
    EXPECT_LT(std::abs(z.mean()), 4.5 * standard_error(z)) << j;
    const Eigen::VectorXd square = z.array().square();
    EXPECT_LT(std::abs(square.mean() - 1), 4.5 * standard_error(square)) << j;
    EXPECT_LT(standard_error(z), 0.1) << j;
  }
}

TEST(Logistic, penalty_agrees_with_quadrature) {
  const LogPrior prior = product({CoefficientPrior{}, CoefficientPrior{}});
  expect_quadrature(
      PenaltyMetropolis({.cost = Rho(500), .proposal = NormalWalk(0.01 * Matrix::Identity(2, 2))}, prior),
      prior, 40000);
}

TEST(Logistic, hmc_agrees_with_quadrature) {
  const LogPrior prior = product({CoefficientPrior{}, CoefficientPrior{}});
  expect_quadrature(Hmc({.ratio_cost = Rho(500),
                         .gradient_cost = Rho(50),
                         .steps = 5,
                         .step_size = 0.3,
                         .inverse_mass = 0.01 * Matrix::Identity(2, 2)},
                        prior),
                    prior, 10000);
}

}  // namespace
}  // namespace sotto
