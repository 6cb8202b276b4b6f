// The set of all possible design rows, and exact bounds of linear predictors over it.
#pragma once

#include <cstddef>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"

namespace sotto {

/// Design columns that share variables. Their joint values lie in the convex hull of the vertices, one for
/// each corner of the variables' box and each combination of levels; every vertex is a possible row.
struct DomainComponent {
  std::vector<Eigen::Index> columns;  ///< which columns of the design
  Matrix vertices;                    ///< shape (vertices, columns)
};

/// A product of components; every column of the design is in exactly one. Dropped rows, which contribute
/// nothing, are not in the domain. Bounds are exact up to the rounding of doubles; where two functions of one
/// column occur (x and log(x)) they are taken to vary freely, so the bounds then only enclose.
/// Computes   extremes over corners: x' delta is linear in each variable with the others fixed, and |x|^2 is convex
/// Checked by tests/model/domain_test.cpp: bounds_are_attained_and_never_passed
class Domain {
 public:
  explicit Domain(std::vector<DomainComponent> components);

  /// Smallest and largest x' direction over all possible rows x; direction has shape (columns).
  [[nodiscard]] Interval range(const Position& direction) const;
  /// Largest |x| over all possible rows x.
  [[nodiscard]] double max_norm() const { return max_norm_; }
  /// Largest |scale * x|, coordinate by coordinate products; scale has shape (columns).
  [[nodiscard]] double max_norm(const Position& scale) const;
  [[nodiscard]] Eigen::Index columns() const { return columns_; }
  [[nodiscard]] const std::vector<DomainComponent>& components() const { return components_; }

 private:
  std::vector<DomainComponent> components_;
  Eigen::Index columns_ = 0;
  double max_norm_ = 0;
};

}  // namespace sotto
