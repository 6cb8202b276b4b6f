// Gradients of a user's log density by automatic differentiation.
#pragma once

#include <Eigen/Core>  // AutoDiff needs it first

#include <span>
#include <unsupported/Eigen/AutoDiff>
#include <utility>

#include "sotto/model/per_row.hpp"

namespace sotto {

/// Wraps a model whose log density is a template over its scalar,
///   template <class T> T log_density(std::span<const double> row, const Eigen::Matrix<T, Eigen::Dynamic, 1>& at) const;
/// and which has dim, ratio_range and gradient_bound as a RowModel, into a RowModel.
/// Source     forward mode, Eigen's AutoDiffScalar
/// Checked by tests/examples/student_t_model_test.cpp: automatic_gradient_is_the_one_by_hand
template <class M>
class AutoGradient {
 public:
  explicit AutoGradient(M model) : model_(std::move(model)) {}

  [[nodiscard]] Eigen::Index dim() const { return model_.dim(); }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    return model_.ratio_range(from, to);
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    return model_.gradient_bound(at, scale);
  }
  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    return model_.template log_density<double>(row, at);
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    using Dual = Eigen::AutoDiffScalar<Position>;
    Eigen::Matrix<Dual, Eigen::Dynamic, 1> point(at.size());
    for (Eigen::Index j = 0; j < at.size(); ++j) point[j] = Dual(at[j], at.size(), j);
    const Dual value = model_.template log_density<Dual>(row, point);
    // A log density that is free of the position has an empty vector of derivatives.
    if (value.derivatives().size() == at.size()) {
      out = value.derivatives();
    } else {
      out.setZero();
    }
  }

 private:
  M model_;
};

}  // namespace sotto
