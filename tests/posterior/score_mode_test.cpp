#include "sotto/posterior/score_mode.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace sotto {
namespace {

const Matrix kScoreNoise{{4, 1}, {1, 2}};

/// As of counts: exponentials, each of its own coordinate.
ScoreMean exponentials() {
  return {[](const Position& at) -> Position { return 100 * (at.array().exp() - 1); },
          [](const Position& at) -> Matrix { return Position(100 * at.array().exp()).asDiagonal(); }};
}

// A straight step would end at 100 (e - 1) / 100 = 1.7.
TEST(ScoreMode, is_where_a_bent_score_points) {
  const JointNormalPrior flat{1e-12 * Matrix::Identity(2, 2), Position::Zero(2)};
  const Position truth{{1, -2}};
  const Position found =
      score_mode(exponentials(), exponentials().value(truth), kScoreNoise, Position::Zero(2), flat);
  EXPECT_LT((found - truth).norm(), 1e-4);
}

// Of a straight score the mode is known.
TEST(ScoreMode, is_between_score_and_prior) {
  const Matrix slope{{3, 1}, {0, 2}};
  const ScoreMean straight{[&](const Position& at) -> Position { return slope * at; },
                           [&](const Position&) { return slope; }};
  const JointNormalPrior prior{Matrix{{2, .5}, {.5, 1}}, Position{{1, -1}}};
  const Position score{{5, 4}};
  const Matrix back = kScoreNoise.inverse();
  const Position expected = (slope.transpose() * back * slope + prior.precision)
                                .ldlt()
                                .solve(slope.transpose() * back * score + prior.precision * prior.location);
  EXPECT_LT((score_mode(straight, score, kScoreNoise, Position{{-3, 8}}, prior) - expected).norm(), 1e-9);
}

// No position has fewer than no events: the step that would take it there is damped, and the prior holds it.
TEST(ScoreMode, ends_where_no_position_has_such_a_score) {
  const JointNormalPrior prior{Matrix::Identity(2, 2), Position::Zero(2)};
  const Position found =
      score_mode(exponentials(), Position{{-300, 0}}, kScoreNoise, Position{{2, 0}}, prior);
  EXPECT_TRUE(found.allFinite());
  EXPECT_LT(found[0], -3);
  EXPECT_NEAR(found[1], 0, 0.5);
}

}  // namespace
}  // namespace sotto
