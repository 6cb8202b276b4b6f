// Decompositions of dense matrices, compiled once: Eigen's own are templates that take seconds wherever they are used.
#pragma once

#include "sotto/base/position.hpp"

namespace sotto {

/// A = V diag(values) V' of a symmetric matrix; its lower triangle is read.
class Spectrum {
 public:
  explicit Spectrum(const Matrix& symmetric);
  [[nodiscard]] const Position& values() const { return values_; }  ///< increasing
  [[nodiscard]] const Matrix& vectors() const { return vectors_; }  ///< columns
  /// V diag(values) V' with other values.
  [[nodiscard]] Matrix with(const Position& values) const;

 private:
  Position values_;
  Matrix vectors_;
};

/// A = L L' of a symmetric matrix; its lower triangle is read. Where A is not positive definite nothing but
/// `is_positive_definite` means anything.
class Cholesky {
 public:
  explicit Cholesky(const Matrix& symmetric);
  [[nodiscard]] bool is_positive_definite() const { return is_positive_definite_; }
  [[nodiscard]] const Matrix& lower() const { return lower_; }
  [[nodiscard]] Position solve(const Position& right) const;
  [[nodiscard]] Matrix solve(const Matrix& right) const;
  [[nodiscard]] Matrix inverse() const;
  /// L^-1 right
  [[nodiscard]] Matrix half_solve(const Matrix& right) const;

 private:
  bool is_positive_definite_;
  Matrix lower_;
};

/// Of a square matrix that has one, by elimination.
[[nodiscard]] Matrix inverse(const Matrix& matrix);

}  // namespace sotto
