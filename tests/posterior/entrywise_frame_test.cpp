#include "sotto/posterior/entrywise_frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kColumns = 40;

/// Of forty columns the first six go together in pairs.
Matrix few_pairs(double correlation) {
  Matrix moments = Matrix::Identity(kColumns, kColumns);
  for (Eigen::Index k = 0; k < 6; k += 2) moments(k, k + 1) = moments(k + 1, k) = correlation;
  return moments;
}

/// As asked in a frame. `noise`: standard deviation, of a diagonal entry.
AskedMoments asked(const Matrix& moments, const Matrix& frame, double noise, ChainRng& rng) {
  Matrix told = frame * moments * frame.transpose();
  for (Eigen::Index i = 0; i < kColumns; ++i) {
    told(i, i) += noise * rng.normal();
    for (Eigen::Index j = 0; j < i; ++j) told(i, j) = told(j, i) += noise / std::sqrt(2.0) * rng.normal();
  }
  return {frame, told, noise};
}

double off_white(const Matrix& moments, const Matrix& frame) {
  const Matrix white = frame * moments * frame.transpose();
  return (white / white.diagonal().mean() - Matrix::Identity(kColumns, kColumns)).norm();
}

const Matrix kPlain = Matrix::Identity(kColumns, kColumns);

// Of the noise's spectrum the edge is .1 sqrt 80 = .89, beyond the eigenvalues .4 and 1.6; the correlations are eight standard deviations.
TEST(EntrywiseFrame, finds_few_correlations_below_the_spectrums_edge) {
  ChainRng rng(1, 0);
  const Matrix moments = few_pairs(0.6);
  const Frame found = entrywise_frame({asked(moments, kPlain, 0.1, rng)}, kPlain);
  EXPECT_GT(off_white(moments, kPlain), 1.4);
  EXPECT_LT(off_white(moments, found.matrix), 0.6);
}

TEST(EntrywiseFrame, columns_that_do_not_go_together_stay) {
  ChainRng rng(2, 0);
  const Frame found = entrywise_frame({asked(kPlain, kPlain, 0.1, rng)}, kPlain);
  EXPECT_LT(off_white(kPlain, found.matrix), 0.6) << "noise alone has a norm of 2.8";
}

// The first round was in other units: what it says of the first column has four times the noise, and so much less weight.
TEST(EntrywiseFrame, rounds_are_pooled_in_one_frame) {
  ChainRng rng(3, 0);
  const Matrix moments = few_pairs(0.6);
  Matrix units = kPlain;
  units(0, 0) = 0.5;
  double one = 0;
  double both = 0;
  for (int k = 0; k < 10; ++k) {
    const AskedMoments first = asked(moments, units, 0.15, rng);
    const AskedMoments second = asked(moments, kPlain, 0.15, rng);
    one += off_white(moments, entrywise_frame({second}, kPlain).matrix);
    both += off_white(moments, entrywise_frame({first, second}, kPlain).matrix);
  }
  EXPECT_LT(both, 0.9 * one);
}

TEST(EntrywiseFrame, says_whether_directions_are_seen) {
  ChainRng rng(4, 0);
  EXPECT_TRUE(entrywise_frame({asked(few_pairs(0.6), kPlain, 0.05, rng)}, kPlain).resolved);
  EXPECT_FALSE(entrywise_frame({asked(few_pairs(0.6), kPlain, 0.2, rng)}, kPlain).resolved);
  EXPECT_FALSE(entrywise_frame({asked(few_pairs(0.95), kPlain, 0.05, rng)}, kPlain).resolved);
}

}  // namespace
}  // namespace sotto
