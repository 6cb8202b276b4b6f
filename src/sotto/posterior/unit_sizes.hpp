// How many rows units have, where a unit's rows stand side by side: from a noisy histogram.
#pragma once

#include "sotto/posterior/paid_questions.hpp"

namespace sotto {

struct UnitSizes {
  double units = 0;           ///< their number
  double units_variance = 0;  ///< of its noise
  /// Units of about so many rows, at most `tops`, where their counts stand clear of the noise; at least one entry.
  Position sizes, tops, counts;
  double hidden = 0;  ///< of other numbers of rows so many units may be
  bool seen = true;   ///< some do

  [[nodiscard]] double rows() const { return sizes.dot(counts); }
  [[nodiscard]] double mean() const { return rows() / counts.sum(); }
  /// Share of the rows that units of more than so many hold.
  [[nodiscard]] double share_beyond(double most) const {
    return (sizes.array() > most).select(sizes.cwiseProduct(counts), 0).sum() / rows();
  }
  /// Share of the rows' weight that is left where a unit counts as `most` rows at most.
  [[nodiscard]] double kept(double most) const { return sizes.cwiseMin(most).dot(counts) / rows(); }
};

/// `most`: rows of a unit; `share`: of the cost. Errors: budget; interrupted.
/// Checked by tests/posterior/unit_sizes_test.cpp: what_the_noise_may_have_made_does_not_count
[[nodiscard]] UnitSizes find_unit_sizes(std::size_t most, double share, PaidQuestions& questions);

/// As how many rows a unit counts at most: the least that leaves nearly all of the weight of the rows that are seen. Units of more rows
/// may be of another kind than the others, so how much noise they cost does not count.
[[nodiscard]] double most_unit_rows(const UnitSizes& sizes);

}  // namespace sotto
