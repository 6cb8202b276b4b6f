// Values beyond declared bounds are told, others are not: through the whole run of releases, against an oracle with continuous noise.
#include "sotto/posterior/at_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/posterior/once_release.hpp"
#include "support/once_study.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

constexpr Interval kWide{-20, 20};

/// Intercept, a standard normal, five levels, and an exponential, within `bounds` of the first and of the responses.
SimulatedRegression simulated(Link link, Interval bounds, Interval responses, std::uint64_t seed) {
  constexpr Eigen::Index kManyRows = 20000;
  ChainRng rng(seed);
  RegressionBuilder builder(kManyRows, rng);
  const Position x = builder.normals();
  const Position levels = builder.uniforms(1, 6).array().floor();
  const Position waits = -builder.uniforms(0, 1).array().log();
  SimulatedRegression data =
      builder.numeric(x, bounds).numeric(levels, {1, 5}).numeric(waits, {0, 20}).covariates();
  data.link = link;
  data.response = responses;
  data.truth = Position::Zero(4);
  data.y.resize(kManyRows);
  for (Eigen::Index i = 0; i < kManyRows; ++i) {
    const double eta = 0.5 + 0.3 * x[i] + 0.1 * levels[i];
    const double y = link == Link::log ? poisson_draw(std::exp(eta), rng) : eta + rng.normal();
    data.y[i] = std::clamp(y, responses.lower, responses.upper);
  }
  return data;
}

/// Columns whose upper end is told, then columns whose lower end is.
using Told = std::pair<std::vector<Eigen::Index>, std::vector<Eigen::Index>>;

Told told(const SimulatedRegression& data, std::uint64_t seed) {
  const OnceSettings settings = settings_of(data, kRho);
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, seed);
  Told found;
  for (const AtBound& piled : release_once(settings, oracle).at_bounds) {
    (piled.upper ? found.first : found.second).push_back(piled.column);
  }
  return found;
}

// Four standard deviations of the noise: ten ends a data set, false alarm below 4e-4 in each of the three.
TEST(AtBounds, values_within_wide_bounds_are_not_told) {
  const Told none;
  EXPECT_EQ(told(simulated(Link::identity, {-6, 6}, kWide, 1), 1), none);
  EXPECT_EQ(told(simulated(Link::log, {-6, 6}, {0, 200}, 2), 2), none);
  EXPECT_EQ(told(simulated(Link::identity, {-600, 600}, {-2000, 2000}, 3), 3), none);
}

TEST(AtBounds, clipped_values_are_told) {
  const std::vector<Eigen::Index> none;
  const std::vector<Eigen::Index> first{1};
  const std::vector<Eigen::Index> response{AtBound::kResponse};
  EXPECT_EQ(told(simulated(Link::identity, {-0.5, 6}, kWide, 4), 4), Told(none, first));
  EXPECT_EQ(told(simulated(Link::identity, {-6, 0.5}, kWide, 5), 5), Told(first, none));
  EXPECT_EQ(told(simulated(Link::identity, {-6, 6}, {-20, 2.5}, 6), 6), Told(response, none));
  EXPECT_EQ(told(simulated(Link::identity, {-6, 6}, {-1, 20}, 7), 7), Told(none, response));
  EXPECT_EQ(told(simulated(Link::log, {-6, 6}, {0, 5}, 8), 8), Told(response, none));
}

// The far end so far away that all values lie in one bin of the first look; both ends cutting most rows off.
TEST(AtBounds, clipped_values_are_told_whatever_the_other_end_is) {
  const std::vector<Eigen::Index> none;
  const std::vector<Eigen::Index> first{1};
  EXPECT_EQ(told(simulated(Link::identity, {-0.5, 100}, kWide, 9), 9), Told(none, first));
  EXPECT_EQ(told(simulated(Link::identity, {-1000, 0.5}, kWide, 10), 10), Told(first, none));
  EXPECT_EQ(told(simulated(Link::identity, {-0.3, 0.3}, kWide, 11), 11), Told(first, first));
  EXPECT_EQ(told(simulated(Link::identity, {-1, 10}, kWide, 12), 12), Told(none, first));
  EXPECT_EQ(told(simulated(Link::identity, {-1, 100}, kWide, 13), 13), Told(none, first));
  Position counts = Position::Constant(18, 30);
  counts[0] = counts[17] = 4000;
  EXPECT_EQ(at_bounds(1, counts, 10, 8480, {.codes = true}).size(), 2);
  counts.segment(1, 16).setConstant(1);  // hardly anything between the ends, which are no codes
  EXPECT_EQ(at_bounds(1, counts, 10, 8016, {}).size(), 2);
}

TEST(AtBounds, many_rows_at_one_end_are_told_where_noise_hides_what_is_beside) {
  Position counts = Position::Zero(18);
  counts[17] = 4000;
  counts.segment(1, 16).setConstant(60);
  EXPECT_EQ(at_bounds(1, counts, 100, 5000, {.lower = false}).size(), 1);
  counts[0] = 900;  // a column of hardly more than two values
  const std::vector<AtBound> two = at_bounds(1, counts, 100, 5000, {.lower = false, .codes = true});
  ASSERT_EQ(two.size(), 1U);
  EXPECT_TRUE(two.front().only_ends);
}

// Incomes, of which there are ever fewer towards a bound that cuts 6 % off: noise of 1 % hides the last of them, and the bias is many of the
// posterior's standard deviations already.
TEST(AtBounds, a_long_tail_that_is_cut_off_is_told_where_noise_hides_its_end) {
  Position counts{
      {0, 900, 1500, 1400, 1200, 900, 700, 560, 450, 360, 290, 240, 200, 170, 140, 120, 100, 640}};
  const auto found = at_bounds(1, counts, 100, 10000, {.lower = false});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].upper && !found[0].alone && !found[0].only_ends);
  EXPECT_TRUE(at_bounds(1, counts, 100, 10000, {.lower = false, .codes = true}).empty()) << "by right";
  EXPECT_EQ(at_bounds(1, counts, 10, 10000, {.lower = false}).size(), 1U) << "without noise";
  counts[17] = 450;
  EXPECT_TRUE(at_bounds(1, counts, 100, 10000, {.lower = false}).empty()) << "the noise hides it";
}

// As 999 is in a column of ages whose upper bound was declared to hold it; a value next to it, or codes by right, are another matter.
TEST(AtBounds, values_far_from_all_others_are_told_as_alone) {
  Position counts = Position::Zero(18);
  counts.segment(1, 2).setConstant(4700);
  counts[17] = 600;
  const auto found = at_bounds(1, counts, 10, 10000, {.lower = false});
  ASSERT_EQ(found.size(), 1);
  EXPECT_TRUE(found[0].alone && found[0].upper);
  EXPECT_NEAR(found[0].share, 0.06, 1e-9);
  EXPECT_TRUE(at_bounds(1, counts, 10, 10000, {.lower = false, .codes = true}).empty());
  EXPECT_TRUE(at_bounds(1, counts, 200, 10000, {.lower = false}).empty()) << "the noise hides it";
  counts[12] = 200;
  for (const AtBound& piled : at_bounds(1, counts, 10, 10000, {.lower = false})) EXPECT_FALSE(piled.alone);
  counts.setZero();
  counts[0] = 9000;  // a column of two values
  counts[17] = 1000;
  for (const AtBound& piled : at_bounds(1, counts, 10, 10000, {})) EXPECT_FALSE(piled.alone);
}

// Columns of three numbers, and those whose lower end is zero, lie at their bounds by right.
TEST(AtBounds, of_a_scale_or_from_zero_are_not_told) {
  Position counts = Position::Zero(18);
  counts[0] = counts[17] = 4000;
  counts[7] = 2000;
  EXPECT_TRUE(at_bounds(1, counts, 10, 10000, {.codes = true}).empty());
  counts = Position::Constant(18, 300);
  counts[0] = 5000;
  EXPECT_TRUE(at_bounds(1, counts, 10, 9800, {.lower = false}).empty());
  EXPECT_EQ(at_bounds(1, counts, 10, 9800, {}).size(), 1);
}

// Ages from 18 to 99 that are declared from 60 to 65, or from 63 to 64, of which noise hides what lies between: two codes would look so.
TEST(AtBounds, nearly_all_values_at_both_ends_are_told_as_such) {
  Position counts = Position::Zero(18);
  counts[0] = 3360;
  counts[17] = 3760;
  for (const double between : {0.0, 220.0}) {
    counts[4] = counts[7] = counts[10] = counts[13] = between;
    const std::vector<AtBound> found = at_bounds(1, counts, 80, 8000, {.codes = true});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found.front().only_ends);
    EXPECT_NEAR(found.front().share, 0.89, 0.01);
  }
}

}  // namespace
}  // namespace sotto
