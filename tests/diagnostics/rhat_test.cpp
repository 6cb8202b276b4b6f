#include "sotto/diagnostics/rhat.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/diagnostics/monte_carlo_error.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

TEST(Rhat, says_nothing_about_constant_draws) {
  const Matrix constant = Matrix::Constant(100, 4, 2);
  for (const double x : {rhat(constant), ess_bulk(constant), ess_tail(constant), mcse_mean(constant),
                         mcse_sd(constant), mcse_quantile(constant, 0.5)}) {
    EXPECT_TRUE(std::isnan(x));
  }
}

TEST(Rhat, one_chain_that_drifts_is_seen) {
  ChainRng rng(5);
  Matrix x = rng.normals(200);
  EXPECT_LT(rhat(x), 1.05);
  x += Eigen::VectorXd::LinSpaced(200, 0, 5);
  EXPECT_GT(rhat(x), 1.5);
}

TEST(Rhat, does_not_change_under_monotone_maps) {
  ChainRng rng(6);
  Matrix x(100, 3);
  for (Eigen::Index c = 0; c < 3; ++c) x.col(c) = rng.normals(100).array() + 0.3 * static_cast<double>(c);
  const Matrix mapped = x.array().exp();
  EXPECT_DOUBLE_EQ(ess_bulk(x), ess_bulk(mapped));
  EXPECT_EQ(ess_tail(x), ess_tail(mapped));
}

TEST(NestedRhat, agrees_with_a_computation_by_hand) {
  // Two groups of two chains of two draws.
  Matrix x(2, 4);
  x << 1, 3, 5, 5,  //
      3, 5, 5, 9;
  // Group 0: chain means 2 and 4 (variance 2), chain variances 2 and 2; mean 3. Group 1: means 5 and 7 (2), variances 0
  // and 8; mean 6. B = 4.5, W = ((2 + 2) + (2 + 4)) / 2 = 5.
  EXPECT_NEAR(nested_rhat(x, {0, 0, 1, 1}), std::sqrt(1 + 4.5 / 5), 1e-14);
}

TEST(NestedRhat, one_draw_a_chain_is_enough) {
  Matrix x(1, 4);
  x << 0, 2, 10, 12;  // means 1 and 11: B = 50; W = 2
  EXPECT_NEAR(nested_rhat(x, {0, 0, 1, 1}), std::sqrt(26.0), 1e-14);
}

TEST(NestedRhat, needs_two_groups_of_one_size) {
  const Matrix x = Matrix::Random(5, 3);
  EXPECT_TRUE(std::isnan(nested_rhat(x, {0, 0, 0})));
  EXPECT_TRUE(std::isnan(nested_rhat(x, {0, 0, 1})));
  EXPECT_THROW((void)nested_rhat(x, {0, 1}), Error);
}

}  // namespace
}  // namespace sotto
