#include "sotto/measurement/ratio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <variant>

#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/sum/exact_sum.hpp"

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

TEST(RatioNoise, positions_of_another_shape_are_refused) {
  const OwnerContext context{LocationModel({{0, 1}, {0, 1}}, Matrix::Identity(2, 2)), {}, 1};
  const Position two = Position::Zero(2);
  EXPECT_TRUE(contribution_range(RatioQuery{two, two, Rho(1)}, context));
  for (const Eigen::Index size : {0, 1, 3}) {
    const Position other = Position::Zero(size);
    EXPECT_THROW((void)contribution_range(RatioQuery{other, two, Rho(1)}, context), Error);
    EXPECT_THROW((void)contribution_range(RatioQuery{two, other, Rho(1)}, context), Error);
  }
}

// Inside a run integers are summed in doubles: far positions make runs short, on whichever side the range is long.
TEST(RatioPass, sums_of_far_positions_are_exact) {
  constexpr std::size_t kRows = 4096;
  const LocationModel model({{0, 1}}, Matrix::Identity(1, 1));
  Rows rows(kRows, 1);
  ChainRng rng(1);
  for (std::size_t i = 0; i < kRows; ++i) {
    rows.at(i, 0) = rng.uniform();
    rows.weight(i) = 1;
  }
  const Position near = Position::Zero(1);
  const Position far =
      Position::Constant(1, 22);  // every row changes by less than -2^47 steps, or more than 2^47
  for (const auto& [from, to] : {std::pair(near, far), std::pair(far, near)}) {
    const Query query = RatioQuery{from, to, Rho(1)};
    const Measurements asked = measure_all_rows({model})(query).value();
    const auto& pass = std::get<RowPass>(asked.parts[0].pass);
    const auto sum = [&](std::size_t run) {
      std::int64_t sum = 0;
      for (std::size_t first = 0; first < rows.tiles(); first += run)
        pass.add(rows, first, std::min(run, rows.tiles() - first), std::span(&sum, 1));
      return sum;
    };
    EXPECT_GT(std::abs(sum(1)), std::int64_t{1} << 59);
    EXPECT_EQ(sum(pass.run), sum(1));
    EXPECT_NE(sum(kLongestRun), sum(1)) << "longer runs would not do";
  }
}

}  // namespace
}  // namespace sotto
