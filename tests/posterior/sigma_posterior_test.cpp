#include "sotto/posterior/sigma_posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

/// A round with the clipped second moment of `rows` residuals N(0, (sigma^2 + moved^2)), and noise.
OnceRound round_of(double rows, double sigma, double moved, double clip, double noise, ChainRng& rng) {
  OnceRound round;
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
TEST(SigmaPosterior, are_right_whatever_the_clip_is) {
  for (const double clip : {3.0, 34.0, 3000.0}) {
    constexpr double kMany = 1e6;
    OnceRound last;
    last.plan.clip = clip;
    last.residual_squares = NoisyVector{Position::Constant(1, kMany * 0.25), 1};
    ChainRng rng(1);
    const SigmaPosterior posterior(last, {}, {kMany}, std::nullopt);
    const Position sigma = Position::NullaryExpr(2000, [&] { return posterior.draw(0, 0, rng); });
    const double sd = 0.5 / std::sqrt(2 * kMany);
    EXPECT_NEAR(sigma.mean(), 0.5, 5 * sd / std::sqrt(2000.0)) << clip;
    EXPECT_NEAR(std::sqrt((sigma.array() - sigma.mean()).square().mean()), sd, 0.1 * sd) << clip;
  }
}

// 90 % intervals over 200 simulated tables: 0.9 +- 0.075 is 3.5 standard errors, two cases; false alarm below 1e-3. A
// sampling error of sigma / sqrt(2 rows) or more, and the draws' distance from the position taken off.
TEST(SigmaPosterior, cover) {
  struct Case {
    double clip, noise, moved;
  };
  for (const Case one : {Case{4, 20, 0}, Case{3, 80, 0.5}}) {
    ChainRng rng(5);
    int covered = 0;
    for (int i = 0; i < 200; ++i) {
      const OnceRound round = round_of(2000, 2, one.moved, one.clip, one.noise, rng);
      const SigmaPosterior posterior(round, {}, {2000}, std::nullopt);
      Position sigma =
          Position::NullaryExpr(400, [&] { return posterior.draw(one.moved * one.moved, 0, rng); });
      std::sort(sigma.begin(), sigma.end());
      if (sigma[20] < 2 && 2 < sigma[379]) ++covered;
    }
    EXPECT_NEAR(covered / 200.0, 0.9, 0.075);
  }
}

// By quadrature over sigma, 20,000 points of its logarithm: clips far beyond the residuals, so that squares are sigma^2 + q.
TEST(SigmaPosterior, what_squares_say_of_a_position_is_the_integral_over_sigma) {
  constexpr double kRows = 500;
  OnceRound last;
  last.plan.clip = 50;
  last.residual_squares = NoisyVector{Position::Constant(1, kRows * 4), 900};
  const CoefficientPrior prior{PriorFamily::normal, std::log(1.5), 0.4};
  const SigmaPosterior posterior(last, {}, {kRows}, prior);
  const auto integral = [&](double q) {
    constexpr int kPoints = 20000;
    double sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      const double l = -4 + 8.0 * i / kPoints;
      const double square = std::exp(2 * l) + q;
      const double variance = 900 + kRows * 2 * square * square;
      sum += std::exp(-0.5 * std::pow(kRows * (4 - square), 2) / variance - 0.5 * std::log(variance) +
                      prior.log_density(l)) *
             8 / kPoints;
    }
    return std::log(sum);
  };
  const double at_zero = posterior.log_density(0) - integral(0);
  for (const double q : {1e-4, 0.3, 1.0, 2.0, 3.0, 3.7, 4.2, 5.0})
    EXPECT_NEAR(posterior.log_density(q) - integral(q), at_zero, 2e-3) << q;
}

}  // namespace
}  // namespace sotto
