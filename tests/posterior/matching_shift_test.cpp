#include "sotto/posterior/matching_shift.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/once_study.hpp"
#include "support/row_oracle.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {
namespace {

/// Standard normal columns, as many as effects; responses of one kind, as rare as the intercept says.
SimulatedRegression normal_columns(Link link, Eigen::Index rows, const Position& truth, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  for (Eigen::Index j = 1; j < truth.size(); ++j) builder.numeric(builder.normals(), {-5, 5});
  SimulatedRegression data = builder.covariates();
  data.link = link;
  data.truth = truth;
  data.truth.tail(truth.size() - 1) *= 5;  // columns are scaled to [-1, 1]
  respond(data, link == Link::logit ? Interval{0, 1} : Interval{0, 20}, rng);
  return data;
}

struct Drawn {
  OnceRelease release;
  OncePosterior posterior;
};

Drawn drawn_from(const SimulatedRegression& data, double rho, std::uint64_t seed) {
  const OnceSettings settings = settings_of(data, rho);
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, seed);
  OnceRelease release = release_once(settings, oracle);
  OncePosterior posterior = sample_once(settings, release, {1, 1000, seed});
  return {std::move(release), std::move(posterior)};
}

/// How many standard deviations the intercept's mean lies above the truth.
double off(const Drawn& of, double truth) {
  const auto column = of.posterior.chains[0].draws.col(0).array();
  return (column.mean() - truth) / std::sqrt((column - column.mean()).square().mean());
}

// One number of counts: the mean of t and the divergence of a flat prior are integrals over a line. 1,000 draws of t, of standard
// deviation near 1: four of their mean's. Where noise hides the number a divergence is mostly what lies far out, and no shift.
TEST(MatchingShift, is_that_of_a_count) {
  ChainRng rng(3);
  const SimulatedRegression data = normal_columns(Link::log, 4000, Position{{-3}}, rng);
  for (const double rho : {kRho, 0.03 * kRho}) {
    const Drawn of = drawn_from(data, rho, 1);
    const PooledRelease& pooled = of.release.pooled;
    const Displacement displacement(of.release.stand_in, of.release.frame.matrix, pooled.anchor);
    const double g = pooled.information(0, 0);
    const auto h = [&](double b) { return displacement(Position::Constant(1, b))[0]; };
    const auto variance = [&](double b) {
      return pooled.spread(0, 0) + pooled.score_variance + pooled.information_variance * h(b) * h(b);
    };
    const auto sd = [&](double b) {  // of the coefficient, were this the truth
      constexpr double kStep = 1e-4;
      return std::sqrt(variance(b)) / (g * (h(b + kStep) - h(b - kStep)) / (2 * kStep));
    };
    const double precision = of.release.prior.normal.precision(0, 0);
    const double location = of.release.prior.normal.location[0];
    double mass = 0, mean = 0, divergence = 0;
    constexpr double kWidth = 2e-3;
    for (double b = -9; b < 1; b += kWidth) {
      const double r = g * h(b) - pooled.score[0];
      const double density = std::exp(-r * r / (2 * variance(b)) - std::log(variance(b)) / 2 -
                                      precision * (b - location) * (b - location) / 2);
      mass += density;
      mean += density * r / std::sqrt(variance(b));
      divergence += density * (sd(b + kWidth) - sd(b - kWidth)) / (2 * kWidth);
    }
    const MatchingShift shift = matching_shift(of.release, of.posterior);
    EXPECT_NEAR(shift.all[0], mean / mass, 4 / std::sqrt(1000.0)) << rho;
    if (rho == kRho) {
      EXPECT_NEAR(shift.of_volume[0], divergence / mass, 4 / std::sqrt(1000.0));
    }
  }
}

// A prior that holds a coefficient where its releases do not say it is moves what it is for, and no more.
TEST(MatchingShift, of_volume_leaves_out_what_a_prior_is_for) {
  ChainRng rng(4);
  const SimulatedRegression data = normal_columns(Link::log, 4000, Position{{0, 0.3}}, rng);
  OnceSettings settings = settings_of(data, kRho);
  settings.priors[1] = CoefficientPrior{PriorFamily::normal, data.truth[1] + 2, 0.3};
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, 1);
  const OnceRelease release = release_once(settings, oracle);
  const MatchingShift shift = matching_shift(release, sample_once(settings, release, {1, 1000, 1}));
  EXPECT_GT(shift.all[1], 1);
  EXPECT_LT(std::abs(shift.of_volume[1]), 0.4);
}

// Of twelve tables with some 170 ones among 10,000 rows, and of the same without the noise.
TEST(MatchingShift, is_how_far_off_rare_intercepts_are) {
  constexpr int kTables = 12;
  const Position truth{{-4.5, 0.5, -0.4, 0.3}};
  double off_by = 0, said = 0;
  int told = 0, told_without_noise = 0;
  for (int i = 0; i < kTables; ++i) {
    ChainRng rng(100 + static_cast<std::uint64_t>(i));
    const SimulatedRegression data = normal_columns(Link::logit, 10000, truth, rng);
    const Drawn noisy = drawn_from(data, kRho, static_cast<std::uint64_t>(i));
    off_by += off(noisy, truth[0]) / kTables;
    said += matching_shift(noisy.release, noisy.posterior).all[0] / kTables;
    told += check_once(noisy.release, noisy.posterior).drawn_off.empty() ? 0 : 1;
    const Drawn clear = drawn_from(data, 1e4 * kRho, static_cast<std::uint64_t>(i));
    told_without_noise += check_once(clear.release, clear.posterior).drawn_off.empty() ? 0 : 1;
  }
  // A mean's distance has a standard deviation below 1, of twelve .29.
  EXPECT_NEAR(off_by, said, 3 / std::sqrt(1.0 * kTables));
  EXPECT_LT(said, -0.4);
  EXPECT_GE(told, 9);
  EXPECT_EQ(told_without_noise, 0);
}

TEST(MatchingShift, is_nothing_where_scores_are_lines) {
  ChainRng rng(6);
  const Drawn of = drawn_from(normal_columns(Link::identity, 2000, Position{{1, 0.5}}, rng), kRho / 10, 1);
  EXPECT_EQ(matching_shift(of.release, of.posterior).all.norm(), 0);
}

}  // namespace
}  // namespace sotto
