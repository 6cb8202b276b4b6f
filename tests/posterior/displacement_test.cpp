#include "sotto/posterior/displacement.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace sotto {
namespace {

const Position kAnchor{{-1, 0.4, 0.3}};

/// Columns: constant, -1 or 1 with one in `share` at 1, standard normal.
StandIn rows_with_a_rare_level(Link link, double share) {
  OnceFacts facts;
  facts.link = link;
  facts.column_mean = Position::Zero(3);
  facts.indicator = {false, true, false};
  facts.range = {{1, 1}, {-1, 1}, {-9, 9}};
  const double mean = 2 * share - 1;
  const Matrix moments{{1, mean, 0}, {mean, 1, 0}, {0, 0, 1}};
  return {facts, Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse(), 1000};
}

const Matrix kFrame{{1, 0.2, 0}, {0, 2, 0.1}, {0, 0.3, 1}};

TEST(Displacement, bends_as_the_expected_score_does) {
  for (const Link link : {Link::logit, Link::log}) {
    const StandIn stand_in = rows_with_a_rare_level(link, 0.02);
    const Displacement displacement(stand_in, kFrame, kAnchor);
    EXPECT_LT(displacement(kAnchor).norm(), 1e-9);
    const Matrix slope = kFrame * stand_in.slope(kAnchor) * kFrame.transpose();
    for (const Position& at : {Position{{-0.8, 0.6, 0.1}}, Position{{-2, -1, 1.5}}}) {
      const Position phi = kFrame.transpose().inverse() * (at - kAnchor);
      const Position bent =
          stand_in.expected(at) - stand_in.expected(kAnchor) - stand_in.derivative(kAnchor) * (at - kAnchor);
      const Position expected = phi + slope.inverse() * (kFrame * bent);
      EXPECT_LT((displacement(at) - expected).norm(), 1e-7 * (1 + expected.norm()));
    }
  }
}

TEST(Displacement, is_straight_where_means_are_linear) {
  const StandIn stand_in = rows_with_a_rare_level(Link::identity, 0.02);
  const Position at{{3, -7, 2}};
  const Position phi = kFrame.transpose().inverse() * (at - kAnchor);
  EXPECT_LT((Displacement(stand_in, kFrame, kAnchor)(at) - phi).norm(), 1e-12);
}

// However far down a rare level's effect is taken, its rows cannot have fewer than no ones: the score moves no further.
TEST(Displacement, ends_where_a_rare_levels_rows_have_no_ones) {
  const StandIn stand_in = rows_with_a_rare_level(Link::logit, 0.01);
  const Displacement displacement(stand_in, Matrix::Identity(3, 3), kAnchor);
  // The level's own effect: rows without it keep their predictors.
  const auto moved = [&](double effect) {
    return displacement(kAnchor + Position{{effect / 2, effect / 2, 0}}).norm();
  };
  EXPECT_GT(moved(-2), 0.5);
  EXPECT_NEAR(moved(-30), moved(-15), 0.01 * moved(-15));
}

}  // namespace
}  // namespace sotto
