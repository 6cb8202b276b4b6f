#include "sotto/posterior/residual_mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kMixedRows = 10000;
constexpr double kMixedClip = 2.6;
constexpr double kCellNoise = 60;      // sd, of a cell
constexpr double kSquaresNoise = 900;  // likewise, of clipped squares

/// A table's residuals as released, and what lies beyond the clip in it.
struct ReleasedResiduals {
  ResidualHistogram histogram;
  ClippedSquares squares;
  double beyond;
};

ReleasedResiduals released_of(const std::function<double(ChainRng&)>& residual, ChainRng& rng) {
  std::vector<double> edges{0, 0.25, 0.354, 0.5, 0.707, 1, 1.414};
  while (edges.back() < 90) edges.push_back(2 * edges.back());
  const auto cells = static_cast<Eigen::Index>(edges.size()) - 1;
  ReleasedResiduals one{{Eigen::Map<const Position>(edges.data(), cells + 1), Position::Zero(cells),
                         kCellNoise * kCellNoise, kMixedRows},
                        {kMixedClip, 0, kSquaresNoise * kSquaresNoise},
                        0};
  for (int i = 0; i < static_cast<int>(kMixedRows); ++i) {
    const double r = std::min(std::abs(residual(rng)), 90.0);
    const auto above = std::upper_bound(edges.begin(), edges.end(), r);
    one.histogram.counts[above - edges.begin() - 1] += 1;
    one.squares.sum += std::min(r, kMixedClip) * std::min(r, kMixedClip);
    one.beyond += std::max(r * r - kMixedClip * kMixedClip, 0.0) / kMixedRows;
  }
  one.histogram.counts += kCellNoise * rng.normals(cells);
  one.squares.sum += kSquaresNoise * rng.normal();
  return one;
}

double normal_residual(ChainRng& rng) { return rng.normal(); }
double laplace_residual(ChainRng& rng) {
  return std::log(rng.uniform()) * (rng.below(2) == 0 ? 0.97 : -0.97);
}
double student_residual(ChainRng& rng) {
  return 0.91 * rng.normal() / std::sqrt(-(std::log(rng.uniform()) + std::log(rng.uniform())) / 2);
}
double mixed_residual(ChainRng& rng) { return (rng.below(10) == 0 ? 3 : 1) * rng.normal(); }

// Laws whose median absolute value is about a standard normal's. 90 % intervals over 20 tables: held with probability .9,
// fewer than 13 have a probability of 4e-4; the prior is none of these laws.
TEST(ResidualMixture, hold_what_lies_beyond) {
  for (double (*law)(ChainRng&) : {normal_residual, laplace_residual, student_residual, mixed_residual}) {
    ChainRng rng(7);
    int held = 0;
    for (std::uint64_t table = 0; table < 20; ++table) {
      const ReleasedResiduals one = released_of(law, rng);
      const ResidualTails tails =
          find_tails(one.histogram.edges, one.histogram.counts, one.histogram.variance, kMixedRows, 1);
      Position draws = squares_beyond(one.histogram, one.squares, 1, tails, table);
      std::sort(draws.begin(), draws.end());
      const Eigen::Index tail = draws.size() / 20;
      if (draws[tail] < one.beyond && one.beyond < draws[draws.size() - 1 - tail]) ++held;
    }
    EXPECT_GE(held, 13) << (law == normal_residual) << (law == laplace_residual) << (law == student_residual);
  }
}

// What noise of the cells' size hides is not made up: a normal law's .035 beyond the clip, and of the variance 1 no more than a tenth.
TEST(ResidualMixture, leave_normal_residuals_alone) {
  ChainRng rng(8);
  double mean = 0;
  for (std::uint64_t table = 0; table < 10; ++table) {
    const ReleasedResiduals one = released_of(normal_residual, rng);
    mean += squares_beyond(one.histogram, one.squares, 1, {}, table).mean() / 10;
  }
  EXPECT_GT(mean, 0.01);
  EXPECT_LT(mean, 0.1);
}

}  // namespace
}  // namespace sotto
