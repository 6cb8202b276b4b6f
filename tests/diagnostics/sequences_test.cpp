#include "sotto/diagnostics/sequences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

TEST(Sequences, chains_of_unequal_length_keep_their_last_draws) {
  Draws draws;
  draws.parameters = {"a"};
  draws.chains.resize(2);
  draws.chains[0].draws = Eigen::Vector3d(1, 2, 3);
  draws.chains[1].draws = Eigen::Vector2d(4, 5);
  Matrix expected(2, 2);
  expected << 2, 4, 3, 5;
  EXPECT_EQ(sequences(draws, 0), expected);
  EXPECT_THAT(pooled(draws, 0), testing::ElementsAre(1, 2, 3, 4, 5));
}

TEST(Sequences, splitting_drops_the_middle_draw) {
  const Matrix x = Eigen::VectorXd::LinSpaced(5, 1, 5);
  Matrix expected(2, 2);
  expected << 1, 4, 2, 5;
  EXPECT_EQ(split_chains(x), expected);
}

TEST(Sequences, ties_share_their_rank) {
  Matrix x(2, 2);
  x << 7, 7, 3, 9;
  Matrix expected(2, 2);
  expected << 2.5, 2.5, 1, 4;
  EXPECT_EQ(average_ranks(x), expected);
}

TEST(Sequences, normal_scores_of_three) {
  const Matrix z = rank_normalise(Eigen::Vector3d(10, 20, 70));
  // Phi^-1((3 - 3/8) / (3 + 1/4)), from tables.
  EXPECT_NEAR(z(2), 0.8694238, 1e-6);
  EXPECT_NEAR(z(0), -z(2), 1e-12);
  EXPECT_NEAR(z(1), 0, 1e-12);
}

TEST(Sequences, quantiles_interpolate) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.05), 1.15);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({5}, 0.3), 5);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Sequences, quantiles_are_those_of_the_sorted_sample) {
  ChainRng rng(4);
  for (const std::size_t size : {2U, 3U, 10U, 101U}) {
    std::vector<double> sample(size);
    for (double& one : sample) one = std::floor(5 * rng.normal());  // with ties
    std::vector<double> sorted = sample;
    std::ranges::sort(sorted);
    for (const double probability : {0.0, 0.05, 0.31, 0.5, 0.95, 1.0})
      EXPECT_EQ(quantile(sample, probability), quantile_of_sorted(sorted, probability)) << size;
  }
}

TEST(Sequences, what_cannot_be_diagnosed_is_refused) {
  Matrix x = Matrix::Random(10, 2);
  EXPECT_TRUE(can_be_diagnosed(x));
  EXPECT_FALSE(can_be_diagnosed(x.topRows(3)));
  EXPECT_FALSE(can_be_diagnosed(Matrix::Constant(10, 2, 1)));
  EXPECT_FALSE(can_be_diagnosed(Matrix(0, 0)));
  x(3, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(can_be_diagnosed(x));
}

TEST(Autocovariance, agrees_with_the_plain_sum) {
  ChainRng rng(3);
  const Matrix x = rng.normals(37);
  const Matrix fast = autocovariance(x);
  const double mean = x.mean();
  for (Eigen::Index lag = 0; lag < 37; ++lag) {
    double sum = 0;
    for (Eigen::Index i = 0; i + lag < 37; ++i) sum += (x(i) - mean) * (x(i + lag) - mean);
    EXPECT_NEAR(fast(lag), sum / 37, 1e-13) << lag;
  }
}

}  // namespace
}  // namespace sotto
