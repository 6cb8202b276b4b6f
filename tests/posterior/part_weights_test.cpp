#include "sotto/posterior/part_weights.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

/// Columns: constant, a number, a level of 4 % of the rows.
OnceFacts facts_of_a_rare_level() {
  OnceFacts facts;
  facts.link = Link::logit;
  facts.column_mean = Position::Zero(3);
  facts.column_sd = Position::Ones(3);
  facts.indicator = {false, false, true};
  facts.range = {{1, 1}, {-1, 1}, {0, 1}};
  return facts;
}

Matrix rows_with_a_rare_level(Eigen::Index rows, ChainRng& rng) {
  Matrix x(rows, 3);
  for (Eigen::Index i = 0; i < rows; ++i) x.row(i) << 1, 2 * rng.uniform() - 1, rng.uniform() < 0.04 ? 1 : 0;
  return x;
}

// A fifth of the weight allows for rows that differ within their part. Were all parts' weights alike, the level's would be .99.
TEST(PartWeights, are_those_of_simulated_rows) {
  ChainRng rng(9);
  constexpr Eigen::Index n = 50000;
  const Matrix x = rows_with_a_rare_level(n, rng);
  const Matrix moments = x.transpose() * x / n;
  const Matrix frame = Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse();
  const OnceFacts facts = facts_of_a_rare_level();
  const StandIn stand_in(facts, frame, n);
  ASSERT_EQ(stand_in.parts().size(), 2U);
  for (const double level : {0.0, 3.5}) {
    const Position at{{-0.5, 0.6, level}};
    BoundsPlan plan;
    plan.score_bound = 1.8;
    plan.information_bound = 3;
    Position sum = Position::Zero(2);
    Position count = Position::Zero(2);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Position row = x.row(i).transpose();
      const double m = 1 / (1 + std::exp(-row.dot(at)));
      const Position z = frame * row;
      const Eigen::Index part = row[2] > 0.5 ? 1 : 0;
      sum[part] += std::min({1.0, plan.score_bound / (std::max(m, 1 - m) * z.norm()),
                             plan.information_bound / (m * (1 - m) * z.squaredNorm())});
      ++count[part];
    }
    const Position weights = part_weights(stand_in, frame, at, plan, facts);
    const Position seen = sum.cwiseQuotient(count);
    EXPECT_NEAR(weights[0], seen[0], 0.05) << level;
    EXPECT_NEAR(weights[1], seen[1], 0.2 * seen[1]) << level;
    EXPECT_LT(seen[1], 0.6);
  }
}

TEST(PartWeights, are_the_plans_where_units_have_one_weight) {
  OnceFacts facts = facts_of_a_rare_level();
  const StandIn stand_in(facts, Matrix::Identity(3, 3), 100);
  BoundsPlan plan;
  plan.score_bound = plan.information_bound = 0.01;
  plan.kept = 0.7;
  const Position at = Position::Zero(3);
  EXPECT_LT(part_weights(stand_in, Matrix::Identity(3, 3), at, plan, facts).maxCoeff(), 0.1);
  facts.unit_sizes.emplace();
  EXPECT_EQ(part_weights(stand_in, Matrix::Identity(3, 3), at, plan, facts),
            Position::Constant(static_cast<Eigen::Index>(stand_in.parts().size()), 0.7));
}

}  // namespace
}  // namespace sotto
