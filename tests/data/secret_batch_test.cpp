#include "sotto/data/secret_batch.hpp"

#include <gtest/gtest.h>

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
TEST(SecretBatch, rows_enter_independently) {
  TestEntropy entropy(6);
  constexpr int kBatches = 40000;
  int first = 0;
  int next = 0;
  int far = 0;
  for (int b = 0; b < kBatches; ++b) {
    std::vector<char> in(130, 0);
    for (const std::size_t row : poisson_sample(130, 0.5, entropy)) in[row] = 1;
    first += in[3];
    next += in[3] * in[4];
    far += in[3] * in[67];
  }
  const double error = std::sqrt(kBatches * 0.25 * 0.75);
  EXPECT_NEAR(next, kBatches * 0.25, 4.5 * error);
  EXPECT_NEAR(far, kBatches * 0.25, 4.5 * error);
  EXPECT_NEAR(first, kBatches * 0.5, 4.5 * std::sqrt(kBatches * 0.25));
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

}  // namespace
}  // namespace sotto
