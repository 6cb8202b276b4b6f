#include "sotto/data/secret_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/test_entropy.hpp"

namespace sotto {
namespace {

// Each of 200 rows is in 20,000 batches with frequency `rate`; the chi-square statistic over rows has 200
// degrees of freedom: beyond 290 with probability 3e-5.
TEST(SecretBatch, each_row_enters_with_the_rate) {
  TestEntropy entropy(4);
  for (const double rate : {0.01, 0.3, 0.71}) {
    std::vector<double> counts(200, 0);
    constexpr int kBatches = 20000;
    for (int b = 0; b < kBatches; ++b) {
      for (const std::size_t row : poisson_sample(200, rate, entropy)) counts[row] += 1;
    }
    double statistic = 0;
    for (const double count : counts)
      statistic += std::pow(count - kBatches * rate, 2) / (kBatches * rate * (1 - rate));
    EXPECT_LT(statistic, 290) << rate;
    EXPECT_GT(statistic, 120) << rate;
  }
}

// Independence of neighbours and of rows 64 apart: the covariance of two indicators over 40,000 batches.
// All 3,003 pairs of 78 rows, some in one word and some in two: six standard deviations each, a false alarm in 1.7e5 seeds.
TEST(SecretBatch, rows_enter_independently) {
  TestEntropy entropy(6);
  constexpr int kBatches = 40000;
  constexpr std::size_t kRows = 78;
  std::vector<int> both(kRows * kRows);
  for (int b = 0; b < kBatches; ++b) {
    const std::vector<std::size_t> batch = poisson_sample(kRows, 0.5, entropy);
    for (const std::size_t i : batch) {
      for (const std::size_t j : batch) ++both[i * kRows + j];
    }
  }
  const double error = std::sqrt(kBatches * 0.25 * 0.75);
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_NEAR(both[i * kRows + i], kBatches * 0.5, 6 * std::sqrt(kBatches * 0.25));
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NEAR(both[i * kRows + j], kBatches * 0.25, 6 * error) << i << " " << j;
  }
}

TEST(SecretBatch, a_rate_of_one_takes_all_rows_with_their_weights) {
  TestEntropy entropy(1);
  Rows rows(11, 2);
  for (std::size_t i = 0; i < 11; ++i) {
    rows.at(i, 0) = static_cast<double>(i);
    rows.weight(i) = i % 2;
  }
  const Rows batch = poisson_batch(rows, 1, entropy);
  ASSERT_EQ(batch.rows(), 11u);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(batch.at(i, 0), static_cast<double>(i));
    EXPECT_EQ(batch.weight(i), static_cast<double>(i % 2));
  }
}

TEST(SecretBatch, rows_that_keep_their_places_are_the_chosen_ones) {
  Rows rows(200, 1);
  for (std::size_t i = 0; i < 200; ++i) {
    rows.at(i, 0) = static_cast<double>(i);
    rows.weight(i) = i % 3 == 0 ? 0 : 1;
  }
  TestEntropy one(8);
  TestEntropy other(8);
  const std::vector<std::size_t> chosen = poisson_sample(200, 0.3, one);
  const Rows batch = poisson_batch(rows, 0.3, other, true);
  ASSERT_EQ(batch.rows(), 200u);
  for (std::size_t i = 0; i < 200; ++i) {
    const bool inside = std::ranges::find(chosen, i) != chosen.end();
    EXPECT_EQ(batch.weight(i), inside ? rows.weight(i) : 0) << i;
    if (inside) {
      EXPECT_EQ(batch.at(i, 0), rows.at(i, 0)) << i;
    }
  }
}

}  // namespace
}  // namespace sotto
