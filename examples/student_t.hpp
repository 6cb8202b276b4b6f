// A model of one's own in one file: robust regression with Student t errors.
#pragma once

#include <cmath>
#include <span>

#include "sotto/model/auto_gradient.hpp"
#include "sotto/model/per_row.hpp"

namespace example {

/// A row is (x_1 .. x_dim, y) with declared |x_j| <= 1; y ~ x'b + sigma t_nu. The score of a t error is bounded
/// whatever y is, so outliers cannot move the sum by much and nothing is clipped:
///   |d log p / d eta| <= (nu + 1) / (2 sigma sqrt(nu)),   attained at a residual of sigma sqrt(nu).
struct StudentT {
  Eigen::Index predictors = 2;
  double nu = 4;
  double sigma = 1;

  [[nodiscard]] Eigen::Index dim() const { return predictors; }
  [[nodiscard]] double steepest() const { return (nu + 1) / (2 * sigma * std::sqrt(nu)); }

  /// Public: over all legal rows, |x'(to - from)| is at most the sum of |to_j - from_j|.
  [[nodiscard]] sotto::Interval ratio_range(const sotto::Position& from, const sotto::Position& to) const {
    const double reach = steepest() * (to - from).lpNorm<1>();
    return {-reach, reach};
  }
  /// Public: the longest scaled x has norm |scale|.
  [[nodiscard]] sotto::VectorBound gradient_bound(const sotto::Position&,
                                                  const sotto::Position& scale) const {
    return {steepest() * scale.norm(), 2 * steepest() * scale.norm()};
  }

  /// Of one row, terms free of the coefficients left out. With T = double this is the density; with a dual number
  /// it carries its gradient.
  template <class T>
  [[nodiscard]] T log_density(std::span<const double> row,
                              const Eigen::Matrix<T, Eigen::Dynamic, 1>& at) const {
    using std::log;
    T residual = T(row[static_cast<std::size_t>(predictors)]);
    for (Eigen::Index j = 0; j < predictors; ++j) residual -= row[static_cast<std::size_t>(j)] * at[j];
    const T square = residual * residual;
    return log(T(1.0) + square / (nu * sigma * sigma)) * (-(nu + 1) / 2);
  }
};

/// The same with the gradient by hand: faster.
struct StudentTByHand : StudentT {
  [[nodiscard]] double log_density(std::span<const double> row, const sotto::Position& at) const {
    return StudentT::log_density<double>(row, at);
  }
  void gradient(std::span<const double> row, const sotto::Position& at, sotto::Position& out) const {
    const Eigen::Map<const Eigen::VectorXd> x(row.data(), predictors);
    const double residual = row[static_cast<std::size_t>(predictors)] - x.dot(at);
    out = (nu + 1) * residual / (nu * sigma * sigma + residual * residual) * x;
  }
};

}  // namespace example
