#include "sotto/posterior/residual_spread.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

// At a small budget a look takes the most that it may: a twentieth of the cost, and an eighth of what is left of it.
TEST(ResidualSpread, a_look_at_counts_leaves_the_rounds_their_part) {
  ChainRng rng(3);
  const SimulatedRegression data = designs::poisson(1000, rng);
  const OnceFacts facts = facts_of(data, Adjacency::substitute);
  const Eigen::Index d = facts.dim();
  const StandIn stand_in(facts, Matrix::Identity(d, d), 1000);
  for (const auto& [spent, most] : {std::pair{0.1, 0.05}, std::pair{0.8, 0.025}, std::pair{0.7, 0.0375}}) {
    RowOracle oracle(facts, data.x, data.y, Rho(kRho / 4), 5);
    PaidQuestions questions(oracle, Rho(kRho / 4));
    (void)questions.pay(spent);
    (void)residual_spread(facts, stand_in, data.truth, Look::last, nullptr, questions);
    EXPECT_NEAR(1 - spent - questions.left(), most, 1e-12) << spent;
  }
}

// Of yes and no under a Poisson model, for relative risks, nothing is asked: no law of counts is that of ones and noughts.
TEST(ResidualSpread, of_ones_and_noughts_no_law_is_looked_for) {
  ChainRng rng(3);
  const SimulatedRegression data = designs::poisson(20000, rng);
  OnceFacts facts = facts_of(data, Adjacency::substitute);
  facts.response = {0, 1};
  const Eigen::Index d = facts.dim();
  const StandIn stand_in(facts, Matrix::Identity(d, d), 20000);
  RowOracle oracle(facts, data.x, data.y.cwiseMin(1), Rho(kRho), 5);
  PaidQuestions questions(oracle, Rho(kRho));
  const ResidualSpread spread = residual_spread(facts, stand_in, data.truth, Look::last, nullptr, questions);
  EXPECT_EQ(questions.left(), 1);
  EXPECT_EQ(spread.dispersion, 0);
  EXPECT_FALSE(spread.hidden);
  ASSERT_EQ(spread.effects.size(), 1U);
  EXPECT_TRUE(spread.effects[0].effect.none());
}

}  // namespace
}  // namespace sotto
