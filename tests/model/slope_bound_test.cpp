// Both bounds hold of a model that is as steep as it says, and cannot be smaller.
#include "sotto/model/slope_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

const Position kSteepest{{0.5, 2}};

/// As steep in every coordinate as declared, at legal rows with both entries in [-1, 1]: linear, and with a kink.
double log_density(const Position& row, const Position& at) {
  return 0.5 * row[0] * at[0] - 2 * std::abs(row[1] - at[1]);
}

TEST(SlopeBound, encloses_every_ratio_and_is_reached) {
  const SlopeBound bound(kSteepest);
  ChainRng rng(1);
  double nearest = 0;
  for (int i = 0; i < 2000; ++i) {
    const Position from = 3 * rng.normals(2);
    const Position to = 3 * rng.normals(2);
    const Position row = rng.normals(2).cwiseMin(1).cwiseMax(-1);
    const double change = log_density(row, to) - log_density(row, from);
    const Interval range = bound.ratio_range(from, to);
    EXPECT_LE(change, range.upper + 1e-12);
    EXPECT_GE(change, range.lower - 1e-12);
    EXPECT_DOUBLE_EQ(range.upper, 0.5 * std::abs(to[0] - from[0]) + 2 * std::abs(to[1] - from[1]));
    nearest = std::max(nearest, change / range.upper);
  }
  EXPECT_GT(nearest, 0.99);
}

TEST(SlopeBound, encloses_every_scaled_gradient_and_is_reached) {
  const Position scale{{3, 0.25}};
  const VectorBound bound = SlopeBound(kSteepest).gradient_bound(Position::Zero(2), scale);
  EXPECT_DOUBLE_EQ(bound.norm, std::hypot(0.5 * 3, 2 * 0.25)) << "the gradient of the row (1, 1) at 0";
  EXPECT_DOUBLE_EQ(bound.diameter, 2 * bound.norm) << "of the rows (1, 1) and (-1, -1)";
}

TEST(SlopeBound, is_refused_where_it_says_nothing) {
  for (const double wrong : {0.0, -1.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(SlopeBound(Position{{1, wrong}}), Error) << wrong;
}

}  // namespace
}  // namespace sotto
