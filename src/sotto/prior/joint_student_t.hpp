// Several coefficients under one Student t: normal, given a scale that they share.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/prior/coefficient_prior.hpp"

namespace sotto {

/// (b_j - location_j) / scale_j ~ multivariate t of 7 degrees of freedom: one by one each is a Student t, and not correlated with the
/// others; where one lies far out, so may all.
/// Source     [KN04, Section 1.1]
class JointStudentT {
 public:
  static constexpr double kFreedom = 7;
  static constexpr double kScale =
      0.8451542547285166;  ///< over a coefficient's standard deviation: sqrt(5 / 7)

  void add(Eigen::Index column, double location, double scale);
  [[nodiscard]] bool empty() const { return columns_.empty(); }
  [[nodiscard]] bool has(Eigen::Index column) const;
  /// Of one coefficient, whatever the others are.
  [[nodiscard]] static CoefficientPrior alone(double location, double scale) {
    return {PriorFamily::student_t, location, scale, kFreedom};
  }
  /// Up to a constant.
  /// Checked by tests/prior/joint_student_t_test.cpp: is_a_normal_whose_scale_is_integrated_out
  [[nodiscard]] double log_density(const Position& at) const;
  /// Over the density of independent normals of the same means and variances, up to a constant.
  [[nodiscard]] double log_ratio(const Position& at) const;

 private:
  [[nodiscard]] double squares(const Position& at) const;

  std::vector<Eigen::Index> columns_;
  std::vector<double> locations_, scales_;
};

}  // namespace sotto
