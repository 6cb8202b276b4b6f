#include "sotto/posterior/residual_tails.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kManyRows = 50000;

struct Cells {
  Position edges, counts;
};
template <class Draw>
Cells counted(const Draw& draw, double noise, ChainRng& rng) {
  Cells cells{Position(32), noise * rng.normals(31)};
  cells.edges[0] = 0;
  for (int j = 0; j <= 30; ++j) cells.edges[j + 1] = 100 * std::exp2((j - 30) / 2.0);
  for (int i = 0; i < kManyRows; ++i) {
    const double r = draw();
    const auto place =
        std::upper_bound(cells.edges.begin(), cells.edges.end(), std::abs(r)) - cells.edges.begin();
    cells.counts[std::min<Eigen::Index>(place - 1, 30)] += 1;
  }
  return cells;
}

// Seeded; 25 cells of each kind, each a 3 sigma event.
TEST(ResidualTails, normal_residuals_have_none) {
  ChainRng rng(1);
  const Cells c = counted([&] { return rng.normal(); }, 57, rng);
  EXPECT_LE(find_tails(c.edges, c.counts, 3200, kManyRows, 1).cells.size(), 1U);
}

// Exponential residuals less their mean: e^-4.125 of the rows lie beyond 3.125, the edge of a cell.
TEST(ResidualTails, rows_beyond_a_clip_are_found) {
  ChainRng rng(2);
  const Cells c = counted([&] { return -std::log1p(-rng.uniform()) - 1; }, 57, rng);
  const ResidualTails tails = find_tails(c.edges, c.counts, 3200, kManyRows, 1);
  const double excess = std::exp(-4.125) - std::erfc(3.125 / std::sqrt(2.0));
  EXPECT_NEAR(tails.beyond(3.125), excess, 0.2 * excess);
}

}  // namespace
}  // namespace sotto
