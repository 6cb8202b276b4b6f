#include "sotto/math/decomposition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

Matrix positive_definite(Eigen::Index d) {
  ChainRng rng(7);
  Matrix factor(d, d);
  for (Eigen::Index j = 0; j < d; ++j) factor.col(j) = rng.normals(d);
  return factor * factor.transpose() + 0.1 * Matrix::Identity(d, d);
}

TEST(Decomposition, spectrum_gives_the_matrix_back) {
  const Matrix a = positive_definite(7);
  const Spectrum spectrum(a);
  EXPECT_LT((spectrum.with(spectrum.values()) - a).norm(), 1e-12 * a.norm());
  for (Eigen::Index k = 0; k + 1 < 7; ++k) EXPECT_LE(spectrum.values()[k], spectrum.values()[k + 1]);
  const Matrix root = spectrum.with(spectrum.values().cwiseSqrt());
  EXPECT_LT((root * root - a).norm(), 1e-12 * a.norm());
}

TEST(Decomposition, cholesky_solves) {
  const Matrix a = positive_definite(6);
  const Cholesky root(a);
  const Matrix identity = Matrix::Identity(6, 6);
  EXPECT_TRUE(root.is_positive_definite());
  EXPECT_LT((root.lower() * root.lower().transpose() - a).norm(), 1e-12 * a.norm());
  EXPECT_LT((a * root.inverse() - identity).norm(), 1e-10);
  EXPECT_LT((a * root.solve(identity) - identity).norm(), 1e-10);
  EXPECT_LT((root.lower() * root.half_solve(a) - a).norm(), 1e-12 * a.norm());
  const Position right = identity.col(2);
  EXPECT_LT((a * root.solve(right) - right).norm(), 1e-10);
}

TEST(Decomposition, what_is_not_positive_definite_is_said) {
  Matrix a = positive_definite(3);
  a(1, 1) = -1;
  EXPECT_FALSE(Cholesky(a).is_positive_definite());
}

TEST(Decomposition, inverse_of_a_matrix_that_is_not_symmetric) {
  const Matrix a = Matrix{{0, 2, 1}, {1, 0, 0}, {3, 0, 1}};
  EXPECT_LT((inverse(a) * a - Matrix::Identity(3, 3)).norm(), 1e-14);
}

}  // namespace
}  // namespace sotto
