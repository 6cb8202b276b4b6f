#include "sotto/posterior/stand_in.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sotto/math/decomposition.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

const Position kMean{{1, -0.4, 0.2}};
const Matrix kCovariance{{0, 0, 0}, {0, 0.5, 0.2}, {0, 0.2, 0.3}};

OnceFacts facts(Link link) {
  OnceFacts result;
  result.link = link;
  result.column_mean = Position::Zero(3);
  result.column_sd = Position::Ones(3);
  result.indicator.assign(3, false);
  result.range.assign(3, {-9, 9});
  return result;
}

/// The frame in which these moments are I.
Matrix frame() {
  const Matrix moments = kMean * kMean.transpose() + kCovariance;
  const Matrix root = Eigen::LLT<Matrix>(moments).matrixL();
  return root.inverse();
}

TEST(StandIn, the_frame_gives_back_mean_and_covariance) {
  const StandIn stand_in(facts(Link::logit), frame(), 50);
  EXPECT_LT((stand_in.mean() - kMean).norm(), 1e-12);
  EXPECT_LT((stand_in.covariance() - kCovariance).norm(), 1e-12);
}

TEST(StandIn, without_an_intercept_the_mean_is_as_large_as_the_schema_says) {
  OnceFacts no_intercept = facts(Link::logit);
  no_intercept.intercept = false;
  const StandIn centred(no_intercept, frame(), 50);
  EXPECT_EQ(centred.mean().norm(), 0);
  EXPECT_LT((centred.moments() - kMean * kMean.transpose() - kCovariance).norm(), 1e-12);
  no_intercept.column_mean = Position{{0.5, 0, 0}};
  no_intercept.column_sd = Position{{0.5, 1, 1}};
  const StandIn off_centre(no_intercept, frame(), 50);
  const Matrix moments = kMean * kMean.transpose() + kCovariance;
  EXPECT_LT((off_centre.moments() - moments).norm(), 1e-12);
  EXPECT_GT(off_centre.mean()[0], 0);
  EXPECT_LT(off_centre.mean().tail(2).norm(), 1e-12);
  EXPECT_NEAR(off_centre.mean().dot(inverse(moments) * off_centre.mean()), 0.5, 1e-12);
}

TEST(StandIn, without_an_intercept_all_levels_of_a_category_give_the_mean) {
  OnceFacts levels = facts(Link::log);
  levels.intercept = false;
  levels.levels = Position{{1, 1, 0}};
  const Matrix moments{{0.3, 0, 0.1}, {0, 0.7, -0.2}, {0.1, -0.2, 0.5}};
  const Matrix root = Eigen::LLT<Matrix>(moments).matrixL();
  const StandIn stand_in(levels, root.inverse(), 50);
  EXPECT_LT((stand_in.mean() - Position{{0.3, 0.7, -0.1}}).norm(), 1e-12);
}

// 200,000 simulated rows; six standard errors, false alarm below 1e-8.
TEST(StandIn, expected_score_matches_simulated_rows) {
  const StandIn stand_in(facts(Link::logit), frame(), 1);
  const Position theta{{-0.5, 1.2, 0.8}};
  ChainRng rng(3);
  const double l11 = std::sqrt(0.5);
  const double l21 = 0.2 / l11;
  const double l22 = std::sqrt(0.3 - l21 * l21);
  Position sum = Position::Zero(3);
  Position squares = Position::Zero(3);
  double residual = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double a = rng.normal();
    const double b = rng.normal();
    const Position x = kMean + Position{{0, l11 * a, l21 * a + l22 * b}};
    const double m = 1 / (1 + std::exp(-x.dot(theta)));
    sum += m * x;
    squares += m * m * x.cwiseProduct(x);
    residual += std::max(m, 1 - m) / n;
  }
  const Position expected = stand_in.expected(theta);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const double mean = sum[j] / n;
    EXPECT_NEAR(expected[j], mean, 6 * std::sqrt((squares[j] / n - mean * mean) / n));
  }
  EXPECT_NEAR(stand_in.typical_residual(theta), residual, 0.003);
}

// Columns: constant, -1 or 1, two exclusive levels 0 or 1, a normal number that is larger in one of them. Moments are kept
// whatever the parts; the score is that of simulated rows, where the normal distribution's would be far off.
// 200,000 simulated rows; six standard errors, false alarm below 1e-8.
TEST(StandIn, rare_levels_are_parts_of_their_own) {
  OnceFacts levels = facts(Link::logit);
  levels.column_mean = Position::Zero(5);
  levels.column_sd = Position::Ones(5);
  levels.indicator = {false, true, true, true, false};
  levels.range = {{1, 1}, {-1, 1}, {0, 1}, {0, 1}, {-9, 9}};
  ChainRng rng(5);
  constexpr int n = 200000;
  Matrix rows(n, 5);
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    const double first = u < 0.02 ? 1 : 0;
    const double second = u > 0.97 ? 1 : 0;
    rows.row(i) << 1, rng.uniform() < 0.01 ? 1 : -1, first, second, rng.normal() + 2 * first;
  }
  const Matrix moments = rows.transpose() * rows / n;
  const StandIn stand_in(levels, Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse(), 1);
  ASSERT_EQ(stand_in.parts().size(), 4);
  Matrix kept = stand_in.within();
  for (const Part& part : stand_in.parts()) kept += part.share * part.mean * part.mean.transpose();
  EXPECT_LT((kept - moments).norm(), 1e-9);
  const Position theta{{-1, -1.5, -3, 2.5, 0.5}};
  const Position mean = (1 / (1 + (-(rows * theta).array()).exp())).matrix();
  const Position expected = stand_in.expected(theta);
  for (Eigen::Index j = 0; j < 5; ++j) {
    const Eigen::ArrayXd term = mean.array() * rows.col(j).array();
    const double sd = std::sqrt((term - term.mean()).square().mean());
    EXPECT_NEAR(expected[j], term.mean(), 6 * sd / std::sqrt(n)) << j;
  }
  OnceFacts normal = levels;
  normal.indicator.assign(5, false);
  const StandIn without(normal, Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse(), 1);
  EXPECT_GT(without.expected(theta)[3] / expected[3], 1.15);
}

// By its mean a level has 4.6 % of the rows, by its square 5.2 %: none of its rows vary in it all the same.
TEST(StandIn, a_level_has_one_share_whatever_noisy_moments_say) {
  OnceFacts level = facts(Link::logit);
  level.indicator = {false, false, true};
  level.range = {{1, 1}, {-9, 9}, {0, 1}};
  const Matrix moments{{1, 0.1, 0.046}, {0.1, 0.5, 0.02}, {0.046, 0.02, 0.052}};
  const StandIn stand_in(level, Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse(), 1);
  ASSERT_EQ(stand_in.parts().size(), 2);
  EXPECT_NEAR(stand_in.parts()[1].share, 0.048, 1e-12);
  EXPECT_NEAR(stand_in.parts()[1].mean[2], 1, 1e-12);
  EXPECT_NEAR(stand_in.parts()[0].mean[2], 0, 1e-12);
  EXPECT_NEAR(stand_in.within()(2, 2), 0, 1e-12);
  const StandIn hidden(level, Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse(), 1, false);
  EXPECT_NEAR(hidden.mean()[2], 0.046, 1e-12);
}

TEST(StandIn, parts_may_count_less) {
  const StandIn all(facts(Link::log), frame(), 50);
  const StandIn half = all.weighted(Position::Constant(1, 0.5));
  const Position at{{0.3, 0.2, -0.4}};
  EXPECT_LT((2 * half.expected(at) - all.expected(at)).norm(), 1e-9);
  EXPECT_LT((2 * half.slope(at) - all.slope(at)).norm(), 1e-9);
}

// Levels exclude each other: the parts are the levels, nothing varies within, and the score is exact whatever their effects.
TEST(StandIn, levels_of_one_category_are_parts_of_their_own) {
  OnceFacts levels = facts(Link::logit);
  levels.column_mean = Position::Zero(4);
  levels.column_sd = Position::Ones(4);
  levels.indicator = {false, true, true, true};
  levels.range = {{1, 1}, {0, 1}, {0, 1}, {0, 1}};
  const Position shares{{0.5, 0.24, 0.2, 0.06}};
  const Matrix rows{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1}};
  Matrix moments = rows.transpose() * shares.asDiagonal() * rows;
  const StandIn stand_in(levels, Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse(), 1);
  ASSERT_EQ(stand_in.parts().size(), 4);
  EXPECT_LT(stand_in.within().norm(), 1e-9);
  const Position theta{{-0.5, 2, -3, 5}};
  const Position mean = (1 / (1 + (-(rows * theta).array()).exp())).matrix();
  EXPECT_LT((stand_in.expected(theta) - rows.transpose() * shares.cwiseProduct(mean)).norm(), 1e-9);
}

// Columns: constant, a number that goes with the offset, the offset: three quarters of the rows have the same one, the others
// much smaller ones. 200,000 simulated rows; six standard errors, false alarm below 1e-8.
TEST(StandIn, offsets_make_parts) {
  OnceFacts with_offset = facts(Link::log);
  with_offset.offset = 3;
  ChainRng rng(6);
  constexpr int n = 200000;
  Matrix rows(n, 3);
  for (int i = 0; i < n; ++i) {
    const double offset = rng.uniform() < 0.75 ? 1 : rng.uniform() < 0.5 ? 0 : -1;
    rows.row(i) << 1, rng.normal() + 0.4 * offset, offset;
  }
  const Matrix moments = rows.transpose() * rows / n;
  const Matrix frame = Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse();
  const ColumnSpread offsets{Position{{-1, 0, 0.5, 1}}, Position{{0.125, 0.125, 0, 0.75}}};
  const StandIn stand_in(with_offset, frame, 1, true, offsets);
  ASSERT_EQ(stand_in.parts().size(), 3);
  Matrix kept = stand_in.within();
  for (const Part& part : stand_in.parts()) kept += part.share * part.mean * part.mean.transpose();
  EXPECT_LT((kept - moments).norm(), 1e-9);
  const Position theta{{-1, 0.5, 3}};
  const Eigen::ArrayXd mean = (rows * theta).array().exp();
  const Position expected = stand_in.expected(theta);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const Eigen::ArrayXd term = mean * rows.col(j).array();
    const double sd = std::sqrt((term - term.mean()).square().mean());
    EXPECT_NEAR(expected[j], term.mean(), 6 * sd / std::sqrt(n)) << j;
  }
  EXPECT_GT(StandIn(with_offset, frame, 1).expected(theta)[0] / expected[0], 1.5);
}

TEST(StandIn, slope_is_the_derivative_of_the_expected_score) {
  const Position theta{{-0.5, 1.2, 0.8}};
  for (const Link link : {Link::logit, Link::log, Link::identity}) {
    const StandIn stand_in(facts(link), frame(), 7);
    const Matrix slope = stand_in.slope(theta);
    for (Eigen::Index j = 0; j < 3; ++j) {
      const Position step = 1e-5 * Position::Unit(3, j);
      const Position change = (stand_in.expected(theta + step) - stand_in.expected(theta - step)) / 2e-5;
      EXPECT_LT((slope.col(j) - change).norm(), 1e-5 * (1 + slope.norm()));
    }
  }
}

TEST(StandIn, mode_finds_the_position_that_a_score_points_to) {
  const Position truth{{-0.5, 1.2, 0.8}};
  const JointNormalPrior flat{1e-9 * Matrix::Identity(3, 3), Position::Zero(3)};
  for (const Link link : {Link::logit, Link::log, Link::identity}) {
    const StandIn stand_in(facts(link), frame(), 1000);
    const Position from = Position::Zero(3);
    const Position score = frame() * (stand_in.expected(truth) - stand_in.expected(from));
    const Position found = stand_in.mode(frame(), score, 100 * Matrix::Identity(3, 3), from, flat);
    EXPECT_LT((found - truth).norm(), 1e-3);
  }
}

}  // namespace
}  // namespace sotto
