#include "sotto/posterior/residual_tails.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kRows = 50000;

struct Sides {
  Position edges, above, below;
};
template <class Draw>
Sides counted(const Draw& draw, double noise, ChainRng& rng) {
  Sides sides{Position(32), noise * rng.normals(31), noise * rng.normals(31)};
  sides.edges[0] = 0;
  for (int j = 0; j <= 30; ++j) sides.edges[j + 1] = 100 * std::exp2((j - 30) / 2.0);
  for (int i = 0; i < kRows; ++i) {
    const double r = draw();
    const auto place =
        std::upper_bound(sides.edges.begin(), sides.edges.end(), std::abs(r)) - sides.edges.begin();
    (r < 0 ? sides.below : sides.above)[std::min<Eigen::Index>(place - 1, 30)] += 1;
  }
  return sides;
}

// Seeded; 25 cells of each kind, each a 3 sigma event.
TEST(ResidualTails, normal_residuals_have_none) {
  ChainRng rng(1);
  const Sides s = counted([&] { return rng.normal(); }, 40, rng);
  EXPECT_LE(find_tails(s.edges, s.above, s.below, 1600, kRows, 1).cells.size(), 1U);
}

// Exponential residuals less their mean: E(r - clip(r, -+2)) = e^-3 as the lower side ends at -1.
TEST(ResidualTails, the_bias_of_a_clip_is_found) {
  ChainRng rng(2);
  const Sides s = counted([&] { return -std::log1p(-rng.uniform()) - 1; }, 40, rng);
  const ResidualTails tails = find_tails(s.edges, s.above, s.below, 1600, kRows, 1);
  EXPECT_NEAR(tails.bias(2), std::exp(-3.0), 0.1 * std::exp(-3.0));
  // E (r^2 - 9; r > 3) = e^-4 (2 + 6): nearly all of it is beyond the normal law.
  EXPECT_NEAR(tails.square_beyond(3), 8 * std::exp(-4.0), 0.2 * 8 * std::exp(-4.0));
  EXPECT_EQ(tails.bias(100), 0);
}

}  // namespace
}  // namespace sotto
