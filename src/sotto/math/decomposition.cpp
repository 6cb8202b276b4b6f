#include "sotto/math/decomposition.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace sotto {

Spectrum::Spectrum(const Matrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
  values_ = solver.eigenvalues();
  vectors_ = solver.eigenvectors();
}

Matrix Spectrum::with(const Position& values) const {
  return vectors_ * values.asDiagonal() * vectors_.transpose();
}

Cholesky::Cholesky(const Matrix& symmetric) {
  const Eigen::LLT<Matrix> decomposition(symmetric);
  is_positive_definite_ = decomposition.info() == Eigen::Success;
  lower_ = decomposition.matrixL();
}

Position Cholesky::solve(const Position& right) const { return solve(Matrix(right)); }

Matrix Cholesky::solve(const Matrix& right) const {
  return lower_.triangularView<Eigen::Lower>().transpose().solve(half_solve(right));
}

Matrix Cholesky::inverse() const {
  const Matrix identity = Matrix::Identity(lower_.rows(), lower_.cols());
  return solve(identity);
}

Matrix Cholesky::half_solve(const Matrix& right) const {
  return lower_.triangularView<Eigen::Lower>().solve(right);
}

Matrix inverse(const Matrix& matrix) { return matrix.inverse(); }

}  // namespace sotto
