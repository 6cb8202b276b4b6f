// Whether a table's rows count at all, as far as a noisy histogram shows it.
#pragma once

#include <optional>

#include "sotto/release/regression_query.hpp"

namespace sotto {

inline constexpr double kHardlyAnyLost = 0.95;  ///< where fewer count, that is told

/// Rows that a histogram counted, as a share of `rows`, where that is clearly below `least`: the others held cells that are missing or
/// mean nothing. `counts`: every row stands in one of them.
/// Checked by tests/posterior/usable_rows_test.cpp: rows_that_cannot_be_used_are_told
[[nodiscard]] std::optional<double> few_usable(const NoisyVector& counts, double rows, double least = 0.5);

/// How many rows count, from all histograms together in which each of them stands once.
class UsableRows {
 public:
  void add(const NoisyVector& counts);
  /// The number and its noise's variance; infinite before the first histogram.
  [[nodiscard]] NoisyVector number() const;
  /// The number where that is clearly below `rows`, which are all there are, else these: the others hold cells that are missing, and
  /// are in no release.
  /// Checked by tests/posterior/usable_rows_test.cpp: missing_cells_change_nothing_but_the_number_of_rows
  [[nodiscard]] NoisyVector of(double rows) const;

 private:
  double sum_ = 0;  ///< of totals over their variances
  double precision_ = 0;
};

}  // namespace sotto
