// The example's own model: both gradients, and the bounds that decide the noise.
#include "../../examples/student_t.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/random/chain_rng.hpp"

namespace {

using sotto::Position;

struct Case {
  std::vector<double> row;
  Position from, to;
};

Case draw(sotto::ChainRng& rng) {
  Case c{{2 * rng.uniform() - 1, 2 * rng.uniform() - 1, 20 * rng.normal()}, rng.normals(2), rng.normals(2)};
  return c;
}

TEST(StudentT, automatic_gradient_is_the_one_by_hand) {
  sotto::ChainRng rng(8);
  const example::StudentTByHand by_hand;
  const sotto::AutoGradient automatic{example::StudentT{}};
  Position a(2);
  Position b(2);
  for (int i = 0; i < 1000; ++i) {
    const Case c = draw(rng);
    by_hand.gradient(c.row, c.from, a);
    automatic.gradient(c.row, c.from, b);
    EXPECT_LT((a - b).norm(), 1e-12 * (1 + a.norm()));
    EXPECT_EQ(by_hand.log_density(c.row, c.from), automatic.log_density(c.row, c.from));
  }
}

TEST(StudentT, gradient_is_the_slope_of_the_density) {
  sotto::ChainRng rng(9);
  const example::StudentTByHand model;
  Position g(2);
  for (int i = 0; i < 200; ++i) {
    const Case c = draw(rng);
    model.gradient(c.row, c.from, g);
    for (Eigen::Index j = 0; j < 2; ++j) {
      const Position step = 1e-6 * Position::Unit(2, j);
      const double slope =
          (model.log_density(c.row, c.from + step) - model.log_density(c.row, c.from - step)) / 2e-6;
      EXPECT_NEAR(g[j], slope, 1e-6);
    }
  }
}

// No legal row leaves the declared bounds, and some come close: the bounds are not just large.
TEST(StudentT, bounds_hold_and_are_nearly_attained) {
  sotto::ChainRng rng(10);
  const example::StudentTByHand model;
  const Position scale{{0.5, 2}};
  double longest = 0;
  Position g(2);
  for (int i = 0; i < 20000; ++i) {
    Case c = draw(rng);
    if (i % 2 == 0) {
      c.row = {rng.uniform() < 0.5 ? -1.0 : 1.0, 1.0, 3 * rng.normal()};
      c.to = c.from + 0.01 * rng.normals(2);
    }
    const double ratio = model.log_density(c.row, c.to) - model.log_density(c.row, c.from);
    EXPECT_LE(std::abs(ratio), model.ratio_range(c.from, c.to).upper * (1 + 1e-9));
    model.gradient(c.row, c.from, g);
    const double norm = (scale.array() * g.array()).matrix().norm();
    EXPECT_LE(norm, model.gradient_bound(c.from, scale).norm * (1 + 1e-12));
    longest = std::max(longest, norm / model.gradient_bound(c.from, scale).norm);
  }
  EXPECT_GT(longest, 0.99);
}

}  // namespace
