#include "sotto/posterior/entrywise_frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kWhitenedColumns = 40;

/// Of forty columns the first six go together in pairs.
Matrix pairs_of_columns(double correlation) {
  Matrix moments = Matrix::Identity(kWhitenedColumns, kWhitenedColumns);
  for (Eigen::Index k = 0; k < 6; k += 2) moments(k, k + 1) = moments(k + 1, k) = correlation;
  return moments;
}

/// As asked in a frame. `noise`: standard deviation, of a diagonal entry.
AskedMoments asked_moments(const Matrix& moments, const Matrix& frame, double noise, ChainRng& rng) {
  Matrix told = frame * moments * frame.transpose();
  for (Eigen::Index i = 0; i < kWhitenedColumns; ++i) {
    told(i, i) += noise * rng.normal();
    for (Eigen::Index j = 0; j < i; ++j) told(i, j) = told(j, i) += noise / std::sqrt(2.0) * rng.normal();
  }
  return {frame, told, noise};
}

double off_whiteness(const Matrix& moments, const Matrix& frame) {
  const Matrix white = frame * moments * frame.transpose();
  return (white / white.diagonal().mean() - Matrix::Identity(kWhitenedColumns, kWhitenedColumns)).norm();
}

const Matrix kPlainUnits = Matrix::Identity(kWhitenedColumns, kWhitenedColumns);

// Of the noise's spectrum the edge is .1 sqrt 80 = .89, beyond the eigenvalues .4 and 1.6; the correlations are eight standard deviations.
TEST(EntrywiseFrame, finds_few_correlations_below_the_spectrums_edge) {
  ChainRng rng(1, 0);
  const Matrix moments = pairs_of_columns(0.6);
  const Frame found = entrywise_frame({asked_moments(moments, kPlainUnits, 0.1, rng)}, kPlainUnits);
  EXPECT_GT(off_whiteness(moments, kPlainUnits), 1.4);
  EXPECT_LT(off_whiteness(moments, found.matrix), 0.6);
}

TEST(EntrywiseFrame, columns_that_do_not_go_together_stay) {
  ChainRng rng(2, 0);
  const Frame found = entrywise_frame({asked_moments(kPlainUnits, kPlainUnits, 0.1, rng)}, kPlainUnits);
  EXPECT_LT(off_whiteness(kPlainUnits, found.matrix), 0.6) << "noise alone has a norm of 2.8";
}

// The first round was in other units: what it says of the first column has four times the noise, and so much less weight.
TEST(EntrywiseFrame, rounds_are_pooled_in_one_frame) {
  ChainRng rng(3, 0);
  const Matrix moments = pairs_of_columns(0.6);
  Matrix units = kPlainUnits;
  units(0, 0) = 0.5;
  double one = 0;
  double both = 0;
  for (int k = 0; k < 10; ++k) {
    const AskedMoments first = asked_moments(moments, units, 0.15, rng);
    const AskedMoments second = asked_moments(moments, kPlainUnits, 0.15, rng);
    one += off_whiteness(moments, entrywise_frame({second}, kPlainUnits).matrix);
    both += off_whiteness(moments, entrywise_frame({first, second}, kPlainUnits).matrix);
  }
  EXPECT_LT(both, 0.9 * one);
}

TEST(EntrywiseFrame, says_whether_directions_are_seen) {
  ChainRng rng(4, 0);
  EXPECT_TRUE(
      entrywise_frame({asked_moments(pairs_of_columns(0.6), kPlainUnits, 0.05, rng)}, kPlainUnits).resolved);
  EXPECT_FALSE(
      entrywise_frame({asked_moments(pairs_of_columns(0.6), kPlainUnits, 0.2, rng)}, kPlainUnits).resolved);
  EXPECT_FALSE(
      entrywise_frame({asked_moments(pairs_of_columns(0.95), kPlainUnits, 0.05, rng)}, kPlainUnits).resolved);
}

}  // namespace
}  // namespace sotto
