#include "sotto/posterior/residual_tails.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

Position edges_to_100() {
  Position edges(32);
  edges[0] = 0;
  for (int j = 0; j <= 30; ++j) edges[j + 1] = 100 * std::exp2((j - 30) / 2.0);
  return edges;
}

void count(double residual, const Position& edges, Position& counts) {
  const auto above = std::upper_bound(edges.begin(), edges.end(), std::abs(residual));
  counts[std::min<Eigen::Index>(above - edges.begin() - 1, counts.size() - 1)] += 1;
}

// Nearly without noise. Of normal residuals one table in thousands has tails: of 200, two have with probability below .01.
TEST(ResidualTails, a_dozen_of_few_rows_far_out_are_found) {
  const Position edges = edges_to_100();
  ChainRng rng(3);
  int false_alarms = 0;
  for (int table = 0; table < 200; ++table) {
    Position counts = Position::Zero(31);
    for (int i = 0; i < 288; ++i) count(rng.normal(), edges, counts);
    if (!find_tails(edges, counts, 0.01, 288, 1).cells.empty()) ++false_alarms;
    double square = 0;
    for (int i = 0; i < 12; ++i) {
      const double far = 6 + 2 * i;
      count(far, edges, counts);
      square += far * far / 300;
    }
    EXPECT_NEAR(find_tails(edges, counts, 0.01, 300, 1).square(100), square, 0.2 * square);
  }
  EXPECT_LE(false_alarms, 1);
}

}  // namespace
}  // namespace sotto
