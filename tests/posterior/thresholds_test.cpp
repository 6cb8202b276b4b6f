#include "sotto/posterior/thresholds.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sotto/posterior/stand_in.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

OnceFacts ordered_facts(Eigen::Index thresholds, Eigen::Index numbers) {
  OnceFacts facts;
  const Eigen::Index d = thresholds + numbers;
  facts.thresholds = 1;
  facts.pieces = static_cast<double>(thresholds);
  facts.column_mean = Position::Zero(d);
  facts.column_sd = Position::Ones(d);
  facts.indicator.assign(static_cast<std::size_t>(d), false);
  facts.range.assign(static_cast<std::size_t>(d), {-9, 9});
  return facts;
}

TEST(Thresholds, begin_at_the_log_odds_to_lie_beyond_them) {
  const FirstThresholds first =
      first_thresholds(ordered_facts(3, 1), {Position{{3000, 3000, 6000, 18000}}, 1});
  EXPECT_NEAR(first.at[0], std::log(0.9 / 0.1), 1e-12);
  EXPECT_NEAR(first.at[0] + first.at[1], std::log(0.8 / 0.2), 1e-12);
  EXPECT_NEAR(first.at[0] + first.at[2], std::log(0.6 / 0.4), 1e-12);
  EXPECT_EQ(first.at[3], 0);
  EXPECT_TRUE(first.hardly_any.empty());
}

TEST(Thresholds, categories_that_noise_hides_are_told) {
  const FirstThresholds first = first_thresholds(ordered_facts(3, 1), {Position{{3000, -2, 6000, 3}}, 1});
  EXPECT_EQ(first.hardly_any, (std::vector<Eigen::Index>{1, 3}));
  EXPECT_TRUE(first.at.allFinite());
  EXPECT_GT(first.weights.minCoeff(), 0);
}

// Without effects the weighted sum over thresholds is what the likelihood says of a common shift: 1 - g_(y-1) - g_y.
TEST(Thresholds, weights_make_the_score_that_of_the_likelihood) {
  const Position shares{{0.5, 0.25, 0.15, 0.1}};
  const FirstThresholds first = first_thresholds(ordered_facts(3, 1), {30000 * shares, 1});
  const double beyond[] = {1, 0.5, 0.25, 0.1, 0};
  double ratio = 0;
  for (int y = 0; y < 4; ++y) {
    double score = 0;
    for (int k = 0; k < 3; ++k) score += first.weights[k] * ((y > k ? 1 : 0) - beyond[k + 1]);
    const double likelihood = 1 - beyond[y] - beyond[y + 1];
    if (y == 0) ratio = score / likelihood;
    EXPECT_NEAR(score, ratio * likelihood, 1e-12) << y;
  }
}

// 200,000 responses: what is simulated is off by a few thousandths of the squares' size.
TEST(StandIn, squares_of_ordered_categories_match_simulated_rows) {
  constexpr Eigen::Index kThresholds = 3;
  OnceFacts facts = ordered_facts(kThresholds, 2);
  facts.threshold_weights = Position{{1.5, 1, 0.5}};
  const Eigen::Index d = facts.dim();
  Matrix moments = Matrix::Identity(d, d);
  moments(0, 3) = moments(3, 0) = 0.3;
  for (const Eigen::Index k : {1, 2}) {
    moments(k, k) = moments(0, k) = moments(k, 0) = 1.0 / 3;
    moments(3, k) = moments(k, 3) = 0.1;
  }
  moments(1, 2) = moments(2, 1) = 0;
  const Matrix frame = Eigen::LLT<Matrix>(moments).matrixL().toDenseMatrix().inverse();
  constexpr double kResponses = 200000;
  const StandIn stand_in(facts, frame, kThresholds * kResponses);
  EXPECT_NEAR(stand_in.mean()[1], 1.0 / 3, 1e-12);  // of the weights, not of rows
  EXPECT_NEAR(stand_in.mean()[2], 0.5 / 3, 1e-12);
  EXPECT_NEAR(stand_in.mean()[3], 0.3, 1e-12);
  const Position at{{0.5, -1, -2, 0.8, -0.4}};
  ChainRng rng(11);
  Matrix squares = Matrix::Zero(d, d);
  Position score = Position::Zero(d);
  for (int i = 0; i < static_cast<int>(kResponses); ++i) {
    Position x = Position::Zero(d);
    x[0] = 1;
    x[3] = 0.3 + std::sqrt(1 - 0.09) * rng.normal();
    x[4] = rng.normal();
    const double u = rng.uniform();
    Position s = Position::Zero(d);
    for (Eigen::Index k = 0; k < kThresholds; ++k) {
      Position row = x;
      if (k > 0) row[k] = 1;
      const double mean = 1 / (1 + std::exp(-row.dot(at)));
      s += facts.threshold_weights[k] * ((u < mean ? 1 : 0) - mean) * row;
      score += facts.threshold_weights[k] * mean * row;
    }
    squares += s * s.transpose();
  }
  const Matrix expected = stand_in.ordered_squares(at);
  EXPECT_LT((expected - squares).norm(), 0.02 * squares.norm());
  EXPECT_LT((stand_in.expected(at) - score).norm(), 0.005 * score.norm());
}

// Levels of a category, split from the rest: what is left within is rounding, and no effect moves the linear predictor.
TEST(StandIn, squares_of_ordered_categories_are_there_without_effects) {
  OnceFacts facts = ordered_facts(3, 4);
  facts.threshold_weights = Position{{1, 1, 1}};
  for (std::size_t j = 4; j < 7; ++j) {
    facts.range[j] = {0, 1};
    facts.indicator[j] = true;
  }
  ChainRng rng(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Eigen::Index d = facts.dim();
    Matrix rows = Matrix::Zero(400, d);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      rows(i, 0) = 1;
      if (i % 3 > 0) rows(i, i % 3) = 1;
      rows(i, 3) = rng.normal();
      const auto level = static_cast<Eigen::Index>(rng.below(4));
      if (level > 0) rows(i, 3 + level) = 1;
    }
    const Matrix moments = rows.transpose() * rows / 400;
    const Matrix frame = Eigen::LLT<Matrix>(moments).matrixL().toDenseMatrix().inverse();
    const StandIn stand_in(facts, frame, 1200);
    Position at{{1, -1.1, -2.2, 0, 0, 0, 0}};
    const Matrix squares = stand_in.ordered_squares(at);
    const Position over = stand_in.over_threshold(at, 1, [](double m) { return m * (1 - m); });
    at[3] = 1e-5;
    EXPECT_LT((stand_in.ordered_squares(at) - squares).norm(), 1e-3 * squares.norm()) << repeat;
    const Position near = stand_in.over_threshold(at, 1, [](double m) { return m * (1 - m); });
    EXPECT_LT((near - over).norm(), 1e-3 * over.norm()) << repeat;
  }
}

}  // namespace
}  // namespace sotto
