#include "sotto/diagnostics/mmd.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

Matrix sample(ChainRng& rng, Eigen::Index count, Eigen::Index dim, double shift) {
  Matrix x(count, dim);
  for (Eigen::Index i = 0; i < count; ++i) x.row(i) = rng.normals(dim).array() + shift;
  return x;
}

TEST(Mmd, agrees_with_a_computation_by_hand) {
  Matrix x(2, 1);
  x << 0, 1;
  Matrix y(2, 1);
  y << 0, 2;
  // Within x: exp(-1/2), within y: exp(-2); across: distances 0, 2, 1, 1.
  const double across = (1 + std::exp(-2) + 2 * std::exp(-0.5)) / 4;
  EXPECT_NEAR(mmd_squared(x, y, 1), std::exp(-0.5) + std::exp(-2) - 2 * across, 1e-15);
}

TEST(Mmd, is_the_closed_form_for_normal_samples) {
  // For N(0, I) and N(a, I) in one dimension with kernel width s:
  // MMD^2 = 2 s / sqrt(s^2 + 2) (1 - exp(-a^2 / (2 (s^2 + 2)))).
  ChainRng rng(1);
  const double shift = 0.8;
  const double width = 1.3;
  const double root = std::sqrt(width * width + 2);
  const double truth = 2 * width / root * (1 - std::exp(-shift * shift / (2 * root * root)));
  const Matrix x = sample(rng, 2000, 1, 0);
  const Matrix y = sample(rng, 2000, 1, shift);
  // The seed is fixed; the standard error of the estimate is about 0.008, so a right estimator passes at four of them.
  EXPECT_NEAR(mmd_squared(x, y, width), truth, 0.032);
}

TEST(Mmd, is_unbiased_for_equal_laws) {
  // The mean of 400 estimates under equality; V-statistics would be off by about 2 / 20 = 0.1.
  ChainRng rng(2);
  double sum = 0;
  double squares = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    const double estimate = mmd_squared(sample(rng, 20, 2, 0), sample(rng, 20, 2, 0), 1.5);
    sum += estimate;
    squares += estimate * estimate;
  }
  const double error = std::sqrt(squares / kRuns / kRuns);
  EXPECT_LT(std::abs(sum / kRuns), 4 * error);  // false alarm below 1e-4, and the seed is fixed
  EXPECT_LT(error, 0.01);
}

TEST(Mmd, width_is_the_median_distance) {
  Matrix x(2, 1);
  x << 0, 1;
  Matrix y(2, 1);
  y << 0, 4;
  // Distances above 0 among 0, 1, 0, 4: 1, 1, 3, 4, 4.
  EXPECT_DOUBLE_EQ(median_distance(x, y), 3);
}

TEST(Mmd, refuses_what_has_no_answer) {
  EXPECT_THROW((void)mmd_squared(Matrix(3, 2), Matrix(3, 1), 1), Error);
  EXPECT_THROW((void)mmd_squared(Matrix::Zero(1, 1), Matrix::Zero(3, 1), 1), Error);
  EXPECT_THROW((void)mmd_squared(Matrix::Zero(3, 1), Matrix::Zero(3, 1), 0), Error);
  EXPECT_THROW((void)median_distance(Matrix::Zero(3, 1), Matrix::Zero(3, 1)), Error);
}

}  // namespace
}  // namespace sotto
