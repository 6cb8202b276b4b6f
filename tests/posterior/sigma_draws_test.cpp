#include "sotto/posterior/sigma_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

/// A round with the clipped second moment of `rows` residuals N(0, (sigma^2 + moved^2)), and noise.
OnceRound round_of(double rows, double sigma, double moved, double clip, double noise, ChainRng& rng) {
  OnceRound round;
  round.at = Position::Zero(2);
  round.plan.clip = clip;
  double sum = 0;
  for (int i = 0; i < static_cast<int>(rows); ++i) {
    const double r = std::clamp(std::hypot(sigma, moved) * rng.normal(), -clip, clip);
    sum += r * r;
  }
  round.residual_squares = NoisyVector{Position::Constant(1, sum + noise * rng.normal()), noise * noise};
  return round;
}

// Clips far beyond the residuals, and sums that are known to a ten thousandth: the posterior is narrower than a cell of any grid
// that holds all sigmas. The sd of log sigma is 1 / sqrt(2 rows); means of 2,000 draws, five standard errors.
TEST(SigmaDraws, are_right_whatever_the_clip_is) {
  for (const double clip : {3.0, 34.0, 3000.0}) {
    constexpr double kMany = 1e6;
    const Matrix frame = Matrix::Identity(1, 1);
    OnceRound last;
    last.at = Position::Zero(1);
    last.plan.clip = clip;
    last.residual_squares = NoisyVector{Position::Constant(1, kMany * 0.25), 1};
    ChainRng rng(1);
    const Position sigma = draw_sigma(last, {}, kMany, 0, 1, frame, Matrix::Zero(2000, 1), std::nullopt, rng);
    const double sd = 0.5 / std::sqrt(2 * kMany);
    EXPECT_NEAR(sigma.mean(), 0.5, 5 * sd / std::sqrt(2000.0)) << clip;
    EXPECT_NEAR(std::sqrt((sigma.array() - sigma.mean()).square().mean()), sd, 0.1 * sd) << clip;
  }
}

// 90 % intervals over 200 simulated tables: 0.9 +- 0.075 is 3.5 standard errors, two cases; false alarm below 1e-3. A
// sampling error of sigma / sqrt(2 rows) or more, and the draws' distance from the position taken off.
TEST(SigmaDraws, cover) {
  struct Case {
    double clip, noise, moved;
  };
  for (const Case one : {Case{4, 20, 0}, Case{3, 80, 0.5}}) {
    ChainRng rng(5);
    int covered = 0;
    for (int i = 0; i < 200; ++i) {
      const OnceRound round = round_of(2000, 2, one.moved, one.clip, one.noise, rng);
      const Matrix positions = Matrix::Constant(400, 2, one.moved / std::sqrt(2.0));
      Position sigma = draw_sigma(round, {}, 2000, 0, 1, Matrix::Identity(2, 2), positions, {}, rng);
      std::sort(sigma.begin(), sigma.end());
      if (sigma[20] < 2 && 2 < sigma[379]) ++covered;
    }
    EXPECT_NEAR(covered / 200.0, 0.9, 0.075);
  }
}

}  // namespace
}  // namespace sotto
