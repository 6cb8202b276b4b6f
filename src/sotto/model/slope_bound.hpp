// Both bounds that a row model's noise follows from, out of one: how steep a row's log density can be.
#pragma once

#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// s_j: the most by which the log density l of any legal row changes per unit of coordinate j, wherever the others are.
///
/// Ratios. Go from a to b one coordinate at a time: l(b) - l(a) is the sum of dim changes, of which the j-th moves coordinate j
/// alone, by b_j - a_j, and is at most s_j |b_j - a_j| in size. So |l(b) - l(a)| <= sum_j s_j |b_j - a_j|.
///
/// Gradients. Where l has a derivative in coordinate j it is the limit of such changes per unit, so |dl/dx_j| <= s_j, and the
/// gradient multiplied with a scale, coordinate by coordinate, is no longer than |(scale_j s_j)_j|. Two of them differ by at
/// most twice that.
///
/// Checked by tests/model/slope_bound_test.cpp: encloses_every_ratio_and_is_reached, encloses_every_scaled_gradient_and_is_reached
class SlopeBound {
 public:
  /// `steepest`: s, shape (dim). Errors: configuration unless all are finite and above zero.
  explicit SlopeBound(Position steepest) : steepest_(std::move(steepest)) {
    if (!steepest_.allFinite() || !(steepest_.minCoeff() > 0))
      refuse("a bound on slopes must be finite and above zero for every parameter");
  }

  [[nodiscard]] Eigen::Index dim() const { return steepest_.size(); }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    const double reach = steepest_.dot((to - from).cwiseAbs());
    return {-reach, reach};
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& /*at*/, const Position& scale) const {
    const double norm = steepest_.cwiseProduct(scale).norm();
    return {norm, 2 * norm};
  }

 private:
  Position steepest_;
};

}  // namespace sotto
