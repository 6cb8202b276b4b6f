#include "sotto/posterior/pooled_release.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

/// One round about two columns of 100 rows, whose informations are these and have noise of standard deviation 5.
PooledRelease pooled(double first, double second, double turn) {
  OnceFacts facts;
  facts.intercept = false;
  facts.column_mean = Position::Zero(2);
  facts.column_sd = Position::Ones(2);
  const Matrix frame = Matrix::Identity(2, 2);
  const Matrix axes{{std::cos(turn), -std::sin(turn)}, {std::sin(turn), std::cos(turn)}};
  const Matrix information = axes * Position{{first, second}}.asDiagonal() * axes.transpose();
  OnceRound round{Position::Zero(2), {}, {information, 25}, {information, 25}, {Position::Zero(2), 10}, {}};
  round.plan.clip = 3;
  round.residual_squares = NoisyVector{Position::Constant(1, 100), 25};
  return pool({round}, frame, StandIn(facts, frame, 100));
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

}  // namespace
}  // namespace sotto
