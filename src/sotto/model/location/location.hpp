// Gaussian rows with known covariance whose mean is a function of the position: a multivariate normal mean,
// the banana.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// Bends the second coordinate of the mean: mean_2 = position_2 + a (position_1 - m)^2 + b. With a = b = 0
/// the mean is the position itself.
/// Source     [R21, Theorem 5]
struct Bend {
  double a = 0;
  double b = 0;
  double m = 0;

  [[nodiscard]] Position mean(const Position& position) const;
  /// Back from the mean.
  [[nodiscard]] Position position(const Position& mean) const;
  /// Adds to `gradient` what a gradient in the mean is in the position: J' gradient, in place.
  void pull_back(const Position& position, Position& gradient) const;
};

/// log p(row | position) = -(row - mean)' precision (row - mean) / 2. The ratio is linear in the row, so its
/// range over the declared bounds is exact and nothing is clipped. A value outside the declared bounds counts as
/// the nearest bound, one that is no number as the lower bound.
class LocationModel {
 public:
  static constexpr bool kClipsGradients = true;
  /// `bounds`: of each of the row's dim values. `precision`: symmetric positive definite, shape (dim, dim).
  LocationModel(std::vector<Interval> bounds, Matrix precision, Bend bend = {});

  [[nodiscard]] Eigen::Index dim() const { return precision_.rows(); }
  [[nodiscard]] const Matrix& precision() const { return precision_; }
  [[nodiscard]] const Bend& bend() const { return bend_; }
  /// Of each of the row's values.
  [[nodiscard]] std::vector<Interval> bounds() const;
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const;
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const;
  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const;
  /// Sensitivity  a row adds zero unless its vector is no longer than what was priced, and no farther from that of the row in the
  ///              middle of the bounds than half of the priced diameter: so whatever rounding, underflow or overflow make
  ///              of it, a row moves the sum by at most task.longest and an exchange by at most the larger of that and
  ///              task.widest, but for a part in 2^41 and the rounding to integers, which measurement/vector_noise.hpp adds
  /// Checked by tests/model/location_test.cpp: a_gradient_beyond_what_was_priced_counts_as_none, no_gradient_is_longer_than_its_bound_whatever_rounding_makes_of_it
  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const;

 private:
  /// A ratio as a function of the row.
  struct Line {
    Position slope;
    double at_centre = 0;
  };
  [[nodiscard]] Line ratio_line(const Position& from, const Position& to) const;

  Position lower_, upper_;  ///< the bounds; a row's values are clamped to them
  Position center_;         ///< midpoints of the bounds
  Position half_;           ///< largest distance of a bound from its midpoint, rounded up
  Matrix precision_;
  Bend bend_;
};

}  // namespace sotto
