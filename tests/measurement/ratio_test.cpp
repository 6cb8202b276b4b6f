#include "sotto/measurement/ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(RatioNoise, ratio_noise_is_a_whole_multiple_of_the_grid) {
  const auto range = contribution_range({-0.4, 0.7});
  ASSERT_TRUE(range);
  const GaussianNoise noise = ratio_noise(*range, {Adjacency::substitute, 3}, Rho(0.01)).value();
  EXPECT_EQ(noise.variance % (GaussianNoise::Integer(1) << 40), 0);
  EXPECT_GE(noise.sensitivity * noise.grid.value(), 3 * 1.1);
  EXPECT_NEAR(noise.sensitivity * noise.grid.value(), 3 * 1.1, 1e-5);
  const GaussianNoise added = ratio_noise(*range, {Adjacency::add_remove, 3}, Rho(0.01)).value();
  EXPECT_NEAR(added.sensitivity * added.grid.value(), 3 * 0.7, 1e-5);
}

TEST(RatioNoise, refuses_ranges_that_do_not_fit) {
  EXPECT_FALSE(contribution_range({-1, 1e9}));
  EXPECT_FALSE(contribution_range({NAN, NAN}));
  EXPECT_FALSE(contribution_range({-HUGE_VAL, HUGE_VAL}));
  EXPECT_FALSE(ratio_noise(contribution_range({-400, 400}).value(), {}, Rho(1e-6)));  // beyond the sampler
}

// A row that is left out contributes 0 where others contribute what the range says: an exchange may lead there.
TEST(RatioNoise, the_range_holds_what_a_dropped_row_contributes) {
  EXPECT_LE(contribution_range({0.2, 0.7})->lower, 0);
  EXPECT_GE(contribution_range({-0.7, -0.2})->upper, 0);
  for (const Interval range : {Interval{0.2, 0.7}, Interval{-0.7, -0.2}}) {
    const GaussianNoise noise = ratio_noise(*contribution_range(range), {}, Rho(0.01)).value();
    EXPECT_GE(noise.sensitivity * noise.grid.value(), 0.7);
  }
}

}  // namespace
}  // namespace sotto
