// Release-once through the real wall: what it spends, and data that break lesser methods.
#include "sotto/posterior/once_release.hpp"

#include <gtest/gtest.h>

#include "support/once_study.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

struct Fit {
  OnceRelease release;
  OncePosterior posterior;
};

Fit fit(const Glm& glm, Rows rows, Budget& budget, double fraction,
        Adjacency adjacency = Adjacency::substitute, double width = 0) {
  TestEntropy entropy(5);
  const NormalPrior prior{Position::Zero(glm.dim()), Position::Constant(glm.dim(), 2.5)};
  OnceSettings settings = once_settings(glm, true, prior, Rho(budget.left().value() * fraction));
  settings.width = width;
  DataOwner owner(std::move(rows), glm, {adjacency, 1}, {}, budget, entropy);
  OnceRelease release = release_once(settings, owner);
  OncePosterior posterior = sample_once(release, prior, {}, {1, 100, 2000, 3, 4});
  return {std::move(release), std::move(posterior)};
}

double sd(const Fit& fit, Eigen::Index j) {
  const auto column = fit.posterior.chains[0].draws.col(j).array();
  return std::sqrt((column - column.mean()).square().mean());
}

/// y = 1 exactly where x1 > 0: the likelihood has no maximum.
Rows separated(std::size_t n) {
  ChainRng rng(2);
  Rows rows(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    rows.at(i, 0) = 1;
    rows.at(i, 1) = 2 * rng.uniform() - 1;
    rows.at(i, 2) = rows.at(i, 1) > 0 ? 1 : 0;
    rows.weight(i) = 1;
  }
  return rows;
}

TEST(OnceRelease, spends_its_cost_and_no_more) {
  for (const double epsilon : {0.1, 1.0, 8.0}) {
    Budget budget{Epsilon(epsilon), Delta(1e-6)};
    const double all = budget.left().value();
    ChainRng rng(1);
    (void)fit(OnceStudy::model(3), OnceStudy::simulate({500, 3}, rng).rows, budget, 1 - 1e-6);
    EXPECT_LE(budget.spent_epsilon(Delta(1e-6)).value(), epsilon);
    EXPECT_GT(budget.spent().value(), 0.999 * all);
    EXPECT_EQ(budget.entries().size(), 5U);
  }
}

TEST(OnceRelease, is_refused_before_anything_is_drawn_when_the_budget_is_short) {
  Budget budget{Epsilon(1), Delta(1e-6)};
  ChainRng rng(1);
  try {
    (void)fit(OnceStudy::model(3), OnceStudy::simulate({500, 3}, rng).rows, budget, 100);
    FAIL() << "a hundred times the budget was granted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::budget);
  }
  EXPECT_EQ(budget.spent().value(), 0);
}

TEST(OnceRelease, separation_is_harmless) {
  for (const double epsilon : {1.0, 50.0}) {
    Budget budget{Epsilon(epsilon), Delta(1e-6)};
    const Fit result = fit(OnceStudy::model(2), separated(20000), budget, 1 - 1e-6);
    EXPECT_TRUE(result.posterior.chains[0].draws.allFinite());
    EXPECT_GT(result.posterior.chains[0].draws.col(1).mean(), 3);  // steep, held back by the prior alone
    EXPECT_LT(sd(result, 1), 3);
    EXPECT_LT(result.release.anchor.norm(), 40);
  }
}

TEST(OnceRelease, few_rows_or_a_tiny_budget_give_back_the_prior) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    Budget budget{Epsilon(0.1), Delta(1e-6)};
    ChainRng rng(8);
    const Fit result =
        fit(OnceStudy::model(4), OnceStudy::simulate({200, 4}, rng).rows, budget, 1 - 1e-6, adjacency);
    for (Eigen::Index j = 0; j < 4; ++j) {
      EXPECT_GT(sd(result, j), 1.8);
      EXPECT_LT(sd(result, j), 2.8);
    }
  }
}

TEST(OnceRelease, a_wide_score_bound_keeps_every_rows_weight) {
  const auto at = [](double width) {
    ChainRng rng(9);
    Budget budget{Epsilon(3), Delta(1e-6)};
    return fit(OnceStudy::model(4), OnceStudy::simulate({20000, 4}, rng).rows, budget, 1 - 1e-6,
               Adjacency::substitute, width);
  };
  const Fit narrow = at(1);
  const Fit wide = at(5);
  EXPECT_EQ(wide.release.width, 5);
  EXPECT_GT(wide.posterior.weight_kept, 0.99);
  EXPECT_LT(narrow.posterior.weight_kept, 0.9);
  EXPECT_GT(wide.release.score_variance, narrow.release.score_variance);
}

TEST(OnceRelease, normal_and_poisson_rows_are_fitted_too) {
  ChainRng rng(6);
  for (const Family family : {Family::normal, Family::poisson}) {
    const Position truth{{0.5, -0.8}};
    Rows rows(20000, 3);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      rows.at(i, 0) = 1;
      rows.at(i, 1) = 2 * rng.uniform() - 1;
      const double eta = truth[0] + truth[1] * rows.at(i, 1);
      double y = std::clamp(eta + rng.normal(), -6.0, 6.0);
      if (family == Family::poisson) {
        // Inversion: smallest y with F(y) >= u.
        const double u = rng.uniform();
        double p = std::exp(-std::exp(eta));
        double f = p;
        for (y = 0; f < u && y < 15;) {
          ++y;
          p *= std::exp(eta) / y;
          f += p;
        }
      }
      rows.at(i, 2) = y;
      rows.weight(i) = 1;
    }
    const Glm glm({family}, OnceStudy::model(2).domain(),
                  family == Family::normal ? Interval{-6, 6} : Interval{0, 15});
    Budget budget{Epsilon(3), Delta(1e-6)};
    const Fit result = fit(glm, std::move(rows), budget, 1 - 1e-6);
    for (Eigen::Index j = 0; j < 2; ++j) {
      EXPECT_LT(sd(result, j), 0.1);
      EXPECT_NEAR(result.posterior.chains[0].draws.col(j).mean(), truth[j], 4.5 * sd(result, j));
    }
  }
}

}  // namespace
}  // namespace sotto
