#include "sotto/math/adaptive_shrinkage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

// A thousand numbers, of which thirty are 1 or -1 and the others 0, seen with noise of .2: their mean square error falls from .04 to a
// few thousandths, and the large ones stay.
TEST(AdaptiveShrinkage, few_large_numbers_stay) {
  ChainRng rng(1, 0);
  Position truth = Position::Zero(1000);
  for (Eigen::Index k = 0; k < 30; ++k) truth[k] = k % 2 == 0 ? 1 : -1;
  const Position seen = truth + 0.2 * rng.normals(1000);
  const auto [found, doubt2] = adaptive_shrinkage(seen, 0.2);
  EXPECT_LT((found - truth).squaredNorm() / 1000, 0.005);
  EXPECT_GT(doubt2, (found - truth).squaredNorm() / 1000);
  EXPECT_LT(doubt2, 0.01);
  EXPECT_GT((seen - truth).squaredNorm() / 1000, 0.03);
  for (Eigen::Index k = 0; k < 30; ++k) EXPECT_GT(found[k] * truth[k], 0.5 * seen[k] * truth[k]) << k;
}

// Numbers of standard deviation 1 with noise of 1 are halved, whatever their size.
TEST(AdaptiveShrinkage, is_linear_where_numbers_are_normal) {
  ChainRng rng(2, 0);
  const Position seen = std::sqrt(2.0) * rng.normals(4000);
  const auto [found, doubt2] = adaptive_shrinkage(seen, 1);
  EXPECT_NEAR(doubt2, 0.5, 0.05);
  for (Eigen::Index k = 0; k < seen.size(); ++k) {
    if (std::abs(seen[k]) < 3) {
      EXPECT_NEAR(found[k] / seen[k], 0.5, 0.15) << seen[k];
    }
  }
}

TEST(AdaptiveShrinkage, nothing_is_left_where_all_is_noise) {
  ChainRng rng(3, 0);
  const Position seen = rng.normals(1000);
  EXPECT_LT(adaptive_shrinkage(seen, 1).mean.squaredNorm() / 1000, 0.02);
  EXPECT_EQ(adaptive_shrinkage(Position(), 1).mean.size(), 0);
}

// Next to numbers so large that their likelihood is nothing under most parts, too.
TEST(AdaptiveShrinkage, very_large_numbers_are_finite) {
  const Position seen{{1e6, -0.1, 0.2, 0}};
  const Position found = adaptive_shrinkage(seen, 1).mean;
  EXPECT_TRUE(found.allFinite());
  EXPECT_NEAR(found[0], 1e6, 1e3);
}

}  // namespace
}  // namespace sotto
