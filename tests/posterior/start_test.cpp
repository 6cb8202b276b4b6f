#include "sotto/posterior/start.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

TEST(MedianPlace, interpolates_where_half_of_the_rows_lie_below) {
  EXPECT_DOUBLE_EQ(median_place(Position{{10, 20, 10}}, 40), 1.5);
  EXPECT_DOUBLE_EQ(median_place(Position{{40, 0, 0}}, 40), 0.5);
  EXPECT_DOUBLE_EQ(median_place(Position{{0, 0, 40}}, 40), 2.5);
  EXPECT_DOUBLE_EQ(median_place(Position{{0, 0, 0}}, 40), 3);  // nothing is known
}

// Noise of standard deviation 30 on each of 200 bins, 10,000 rows in two of them. The cumulated noise at the middle has
// standard deviation 300 of 10,000 rows: the median stays in the rows' bins. 100 seeds; a miss is a 16 sigma event.
TEST(MedianPlace, noise_on_empty_bins_does_no_harm) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ChainRng rng(seed);
    Position counts = 30 * rng.normals(200);
    counts[100] += 5000;
    counts[101] += 5000;
    const double place = median_place(counts, 10000);
    EXPECT_GT(place, 99.9);
    EXPECT_LT(place, 102.1);
  }
}

}  // namespace
}  // namespace sotto
