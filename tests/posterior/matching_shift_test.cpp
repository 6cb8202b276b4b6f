#include "sotto/posterior/matching_shift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "sotto/posterior/displacement.hpp"
#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
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

MatchingShift shift_of(const Drawn& of) {
  const Eigen::Index d = of.release.facts.dim();
  return matching_shift(of.release, of.posterior, Matrix::Identity(d, d));
}

double normally_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

// One number of counts: t grows along the line, so its quantiles are those of the posterior by quadrature. Of 1,000 draws the median
// of a normal variable has a standard deviation of .04. What lies between its outer quantiles has one of .01 where they are far out, of .026
// where one of them is near 0, as in the second case. Means of sixteen such: .01 and .0065, of which the bands have six and more.
TEST(MatchingShift, is_that_of_a_count) {
  ChainRng rng(3);
  const SimulatedRegression data = normal_columns(Link::log, 4000, Position{{-3}}, rng);
  for (const double rho : {kRho, 0.03 * kRho}) {
    const Drawn of = drawn_from(data, rho, 3);
    const PooledRelease& pooled = of.release.pooled;
    const Displacement displacement(of.release.weighed, of.release.frame.matrix, pooled.anchor);
    const double precision = of.release.prior.normal.precision(0, 0);
    const double location = of.release.prior.normal.location[0];
    std::vector<std::pair<double, double>> line;  // t, and the posterior's distribution function up to there
    double mass = 0;
    for (double b = -20; b < 3; b += 1e-3) {
      const double h = displacement(Position::Constant(1, b))[0];
      const double variance =
          pooled.spread(0, 0) + pooled.score_variance + pooled.information_variance * h * h;
      const double r = pooled.information(0, 0) * h - pooled.score[0];
      mass += std::exp(-r * r / (2 * variance) - std::log(variance) / 2 -
                       precision * (b - location) * (b - location) / 2);
      line.emplace_back(r / std::sqrt(variance), mass);
    }
    const auto quantile = [&](double share) {
      return std::ranges::find_if(line, [&](const auto& one) { return one.second >= share * mass; })->first;
    };
    constexpr int kSamples = 16;
    double median = 0;
    double held = 0;
    for (int i = 0; i < kSamples; ++i) {
      const MatchingShift shift =
          shift_of({of.release, sample_once(settings_of(data, rho), of.release,
                                            {1, 1000, static_cast<std::uint64_t>(1 + i)})});
      median += shift.median[0] / kSamples;
      held += shift.held[0] / kSamples;
    }
    EXPECT_NEAR(median, quantile(0.5), 0.06) << rho;
    EXPECT_NEAR(held, normally_below(quantile(0.95)) - normally_below(quantile(0.05)), 0.04) << rho;
    EXPECT_LT(median, rho == kRho ? 0 : -0.3);
  }
}

// A prior that holds a coefficient where its releases do not say it is: that is what priors are for, and no wide one.
TEST(MatchingShift, a_prior_that_pulls_is_not_told_as_a_wide_one) {
  ChainRng rng(4);
  const SimulatedRegression data = normal_columns(Link::log, 4000, Position{{0, 0.3}}, rng);
  OnceSettings settings = settings_of(data, kRho);
  settings.priors[1] = CoefficientPrior{PriorFamily::normal, data.truth[1] + 2, 0.3};
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, 1);
  Drawn of{release_once(settings, oracle), {}};
  of.posterior = sample_once(settings, of.release, {1, 1000, 1});
  const MatchingShift shift = shift_of(of);
  EXPECT_GT(shift.median[1], 1);
  EXPECT_LT(shift.held[1], 0.8);
  EXPECT_GT(shift.of_slope[1], shift.median[1] / 2);
  for (const auto& one : check_once(of.release, of.posterior).drawn_off) EXPECT_NE(one.parameter, 1);
}

// A threshold is the negative of the coefficient of its rows; an intercept may be told of other rows.
TEST(MatchingShift, is_of_what_is_reported) {
  ChainRng rng(5);
  const Drawn of = drawn_from(normal_columns(Link::logit, 4000, Position{{-3, 0.4, -0.3}}, rng), kRho, 1);
  const MatchingShift as_it_is = shift_of(of);
  EXPECT_LT(as_it_is.median[0], -0.3);
  const Matrix reported{{-1, 0, 0}, {0, 2, 0}, {1, 1, 0}};
  const MatchingShift other = matching_shift(of.release, of.posterior, reported);
  EXPECT_NEAR(other.median[0], -as_it_is.median[0], 1e-9);
  EXPECT_NEAR(other.median[1], as_it_is.median[1], 1e-9);
  for (const Eigen::Index j : {0, 1}) EXPECT_NEAR(other.held[j], as_it_is.held[j], 1e-9) << j;
  EXPECT_NEAR(other.of_slope[0], -as_it_is.of_slope[0], 1e-9);
  // The effect's doubt is ten times the intercept's there: what the latter is off by hardly shows.
  EXPECT_LT(std::abs(other.median[2]), std::abs(as_it_is.median[0]) / 2 + 0.16);
}

// Of twelve tables with some 170 ones among 10,000 rows, and of the same without the noise.
TEST(MatchingShift, is_how_far_off_rare_intercepts_are) {
  constexpr int kTables = 12;
  const Position truth{{-4.5, 0.5, -0.4, 0.3}};
  double off_by = 0, median = 0, held = 0, said_held = 0;
  int told = 0, told_without_noise = 0;
  for (int i = 0; i < kTables; ++i) {
    ChainRng rng(100 + static_cast<std::uint64_t>(i));
    const SimulatedRegression data = normal_columns(Link::logit, 10000, truth, rng);
    const Drawn noisy = drawn_from(data, kRho, static_cast<std::uint64_t>(i));
    const auto draws = noisy.posterior.chains[0].draws.col(0).array();
    const double sd = std::sqrt((draws - draws.mean()).square().mean());
    off_by += (draws.mean() - truth[0]) / sd / kTables;
    const auto below = static_cast<double>((draws < truth[0]).count()) / static_cast<double>(draws.size());
    held += (below > 0.05 && below < 0.95 ? 1.0 : 0.0) / kTables;
    const MatchingShift shift = shift_of(noisy);
    median += shift.median[0] / kTables;
    said_held += shift.held[0] / kTables;
    for (const auto& one : check_once(noisy.release, noisy.posterior).drawn_off)
      told += one.parameter == 0 && !one.up ? 1 : 0;
    const Drawn clear = drawn_from(data, 1e4 * kRho, static_cast<std::uint64_t>(i));
    told_without_noise += check_once(clear.release, clear.posterior).drawn_off.empty() ? 0 : 1;
  }
  // A mean's distance has a standard deviation below 1, of twelve .29; a share of twelve has one of .13.
  EXPECT_NEAR(off_by, median, 3 / std::sqrt(1.0 * kTables));
  EXPECT_LT(median, -0.4);
  EXPECT_NEAR(held, said_held, 3 * 0.13);
  EXPECT_GE(told, 6);
  EXPECT_EQ(told_without_noise, 0);
}

// Some hundred ones and ten columns: any program's posterior under these priors lies low, and that is not the noise's doing.
TEST(MatchingShift, without_noise_nothing_is_told) {
  ChainRng rng(8);
  const Position truth{{-4.5, 0.5, -0.4, 0.3, 0.2, 0, -0.2, 0.1, 0, 0, 0.1}};
  const Drawn clear = drawn_from(normal_columns(Link::logit, 6000, truth, rng), 1e4 * kRho, 1);
  EXPECT_LT(shift_of(clear).held[0], 0.84);
  EXPECT_TRUE(check_once(clear.release, clear.posterior).drawn_off.empty());
}

// An offset's coefficient is known, whatever the score says of it: many counts, and nothing to tell. Of 1,000 draws: as above.
TEST(MatchingShift, takes_offsets_as_known) {
  ChainRng rng(7);
  const SimulatedRegression data = designs::poisson_with_offset(20000, rng);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Drawn of = drawn_from(data, kRho, seed);
    const MatchingShift shift = shift_of(of);
    EXPECT_GT(shift.held.head(of.release.facts.unknown()).minCoeff(), 0.84);
    EXPECT_TRUE(check_once(of.release, of.posterior).drawn_off.empty());
  }
}

TEST(MatchingShift, is_nothing_where_scores_are_lines) {
  ChainRng rng(6);
  const Drawn of = drawn_from(normal_columns(Link::identity, 2000, Position{{1, 0.5}}, rng), kRho / 10, 1);
  EXPECT_EQ(shift_of(of).median.norm(), 0);
  EXPECT_EQ(shift_of(of).held.minCoeff(), 0.9);
}

}  // namespace
}  // namespace sotto
