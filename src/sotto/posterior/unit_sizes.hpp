// How many rows units have, where a unit's rows stand side by side: from a noisy histogram.
#pragma once

#include "sotto/posterior/paid_questions.hpp"

namespace sotto {

struct UnitSizes {
  double units = 0;           ///< their number
  double units_variance = 0;  ///< of its noise
  Position sizes,
      counts;        ///< units of so many rows, where these stand clear of the noise; at least one entry
  bool seen = true;  ///< some do

  [[nodiscard]] double rows() const { return sizes.dot(counts); }
  [[nodiscard]] double mean() const { return rows() / counts.sum(); }
  /// Share of the rows' weight that is left where a unit counts as `most` rows at most.
  [[nodiscard]] double kept(double most) const { return sizes.cwiseMin(most).dot(counts) / rows(); }
};

/// `most`: rows of a unit; `share`: of the cost. Errors: budget; interrupted.
/// Checked by tests/posterior/unit_sizes_test.cpp: what_the_noise_may_have_made_does_not_count
[[nodiscard]] UnitSizes find_unit_sizes(std::size_t most, double share, PaidQuestions& questions);

/// How many rows' bounds a unit should have: with `noise` the variance of a score's noise at one row's bounds over the score's own,
/// Computes   largest size with v(size) <= 1.04 min v, v = (1 + noise size^2) / kept(size)^2
[[nodiscard]] double choose_unit_rows(const UnitSizes& sizes, double noise);

}  // namespace sotto
