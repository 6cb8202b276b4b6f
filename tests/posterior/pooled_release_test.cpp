#include "sotto/posterior/pooled_release.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

/// Of two columns.
OnceFacts facts_of_logistic_rows() {
  OnceFacts facts;
  facts.intercept = false;
  facts.column_mean = Position::Zero(2);
  facts.column_sd = Position::Ones(2);
  return facts;
}
OnceFacts facts_of_normal_rows() {
  OnceFacts facts = facts_of_logistic_rows();
  facts.link = Link::identity;
  facts.sigma = 1;
  return facts;
}

/// One round about two columns of 100 rows, whose informations are these and have noise of standard deviation 5.
PooledRelease pooled(double first, double second, double turn) {
  const OnceFacts facts = facts_of_logistic_rows();
  const Matrix frame = Matrix::Identity(2, 2);
  const Matrix axes{{std::cos(turn), -std::sin(turn)}, {std::sin(turn), std::cos(turn)}};
  const Matrix information = axes * Position{{first, second}}.asDiagonal() * axes.transpose();
  OnceRound round{Position::Zero(2), {}, {information, 25}, {information, 25}, {Position::Zero(2), 10}, {}};
  round.plan.clip = 3;
  round.residual_squares = NoisyVector{Position::Constant(1, 100), 25};
  return pool({round}, Frame{frame}, StandIn(facts, frame, 100), Position::Ones(1));
}

// The other columns' noise is small against the level in every case.
TEST(PooledRelease, a_combination_that_the_noise_hides_is_told) {
  for (const double turn : {0.0, 0.6}) {
    EXPECT_FALSE(pooled(100, 100, turn).unresolved);
    EXPECT_FALSE(pooled(100, 40, turn).unresolved);
    EXPECT_TRUE(pooled(100, 1, turn).unresolved);
    EXPECT_TRUE(pooled(100, 0, turn).unresolved);
    EXPECT_TRUE(pooled(100, -3, turn).unresolved);
    EXPECT_GT(Spectrum(pooled(100, -3, turn).information).values()[0], 0);
  }
}

// In a frame that the noise hides an information that looks even may be far from that: its doubt is not shrunk away. Noise of
// 100 hides all of it; a hundred logistic rows have a level of some 20.
TEST(PooledRelease, an_information_that_the_noise_hides_is_doubted) {
  const OnceFacts facts = facts_of_logistic_rows();
  const Matrix information = 100 * Matrix::Identity(2, 2);
  OnceRound round{Position::Zero(2),       {}, {information, 10000}, {information, 25},
                  {Position::Zero(2), 10}, {}};
  round.plan.clip = 3;
  round.residual_squares = NoisyVector{Position::Constant(1, 100), 25};
  const auto doubt = [&](bool resolved) {
    const Matrix frame = Matrix::Identity(2, 2);
    return std::sqrt(pool({round}, Frame{frame, resolved}, StandIn(facts, frame, 100), Position::Ones(1))
                         .information_variance);
  };
  EXPECT_LT(doubt(true), 5);
  EXPECT_GT(doubt(false), 12);
}

// Both scores are known to a hundredth of their sampling standard deviation of 10.
TEST(PooledRelease, scores_disagree_where_it_matters) {
  const OnceFacts facts = facts_of_normal_rows();
  const Matrix information = 100 * Matrix::Identity(2, 2);
  const auto agreement = [&](double apart) {
    OnceRound last{Position::Zero(2),         {}, {information, 0.01}, {information, 0.01},
                   {Position::Zero(2), 0.01}, {}};
    last.plan.clip = 3;
    last.residual_squares = NoisyVector{Position::Constant(1, 100), 25};
    OnceRound first = last;
    first.score.value[0] = apart;
    return pool({first, last}, Frame{Matrix::Identity(2, 2)}, StandIn(facts, Matrix::Identity(2, 2), 100),
                Position::Ones(1))
        .agreement.at(0);
  };
  EXPECT_GT(agreement(0), 0.99);
  EXPECT_GT(agreement(3), 0.5) << "more than their noise, less than would move a posterior";
  EXPECT_LT(agreement(15), 1e-5);
  EXPECT_LT(agreement(40), 1e-5);
}

// Counts: the score of an earlier round, .4 along the first column, bends along that column. What it says of the other is as good as the
// last one's.
TEST(PooledRelease, an_earlier_score_is_doubted_where_it_bends) {
  OnceFacts facts = facts_of_logistic_rows();
  facts.link = Link::log;
  const Matrix frame = Matrix::Identity(2, 2);
  const Matrix information = 1000 * Matrix::Identity(2, 2);
  const auto round = [&](double at) {
    OnceRound asked{Position{{at, 0}}, {}, {information, 1}, {information, 1}, {Position::Zero(2), 100}, {}};
    asked.plan.clip = 3;
    asked.plan.level = 1;
    return asked;
  };
  OnceRound before = round(0.4);
  const StandIn stand_in(facts, frame, 1000);
  // As is expected of a truth at the last position.
  before.score.value = stand_in.expected(Position::Zero(2)) - stand_in.expected(before.at);
  const PooledRelease release = pool({before, round(0)}, Frame{frame}, stand_in, Position::Ones(1));
  EXPECT_LT(release.score_variance, 0.6 * 100);
  EXPECT_GT(release.score_variance + release.doubt(0, 0), 0.75 * 100);
  EXPECT_LT(std::abs(release.doubt(1, 1)), 0.05 * 100);
  EXPECT_EQ(release.agreement.size(), 1);
  EXPECT_GT(release.agreement[0], 0.5);
}

// Squares that are 15 % more in one direction and less in the other: of a hundred rows sampling makes as much, of a hundred thousand the
// model does not hold.
TEST(PooledRelease, squares_of_few_rows_are_the_informations) {
  const OnceFacts facts = facts_of_normal_rows();
  const auto first = [&](double rows) {
    const Matrix information = rows * Matrix::Identity(2, 2);
    OnceRound round{Position::Zero(2),         {}, {information, 0.01}, {information, 0.01},
                    {Position::Zero(2), 0.01}, {}};
    round.squares.value.diagonal() << 1.15 * rows, 0.85 * rows;
    round.plan.clip = 5;
    round.residual_squares = NoisyVector{Position::Constant(1, rows), 0.01};
    const Frame frame{Matrix::Identity(2, 2)};
    return pool({round}, frame, StandIn(facts, frame.matrix, rows), Position::Ones(1)).spread(0, 0) / rows;
  };
  EXPECT_LT(first(100), 1.08);
  EXPECT_GT(first(100'000), 1.14);
}

// A level of 1 % whose rows count .4 and the others in full: its squares are .4 of its information, which noise of half its size on
// the squares does not hide. When squares were taken for a multiple of the information they came out as large as it.
TEST(PooledRelease, squares_of_a_level_have_its_weight_once_more) {
  constexpr double kManyRows = 20000;
  constexpr double kLevelShare = 0.01;
  OnceFacts facts;
  facts.column_mean = Position::Zero(2);
  facts.column_sd = Position::Ones(2);
  facts.indicator = {false, true};
  facts.range = {{1, 1}, {0, 1}};
  const Matrix moments{{1, kLevelShare}, {kLevelShare, kLevelShare}};
  const Frame frame{Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse()};
  const StandIn stand_in(facts, frame.matrix, kManyRows);
  ASSERT_EQ(stand_in.parts().size(), 2U);
  const Position weights{{1, 0.4}};
  const auto expected = [&](const Position& of) -> Matrix {
    return frame.matrix * stand_in.weighted(of).slope(Position::Zero(2)) * frame.matrix.transpose();
  };
  const Matrix information = expected(weights);
  const Matrix squares = expected(weights.cwiseAbs2());
  const double noise = std::pow(0.5 * squares(1, 1), 2);
  OnceRound round{Position::Zero(2), {}, {information, 1}, {squares, noise}, {Position::Zero(2), 10}, {}};
  const PooledRelease release = pool({round}, frame, stand_in, weights);
  EXPECT_NEAR(release.spread(1, 1) / release.information(1, 1), 0.4, 0.05);
  EXPECT_NEAR(release.spread(0, 0) / release.information(0, 0), 1, 0.05);
}

}  // namespace
}  // namespace sotto
