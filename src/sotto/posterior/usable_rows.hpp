// Whether a table's rows count at all, as far as a noisy histogram shows it.
#pragma once

#include <optional>

#include "sotto/release/regression_query.hpp"

namespace sotto {

/// Rows that a histogram counted, as a share of `rows`, where that is clearly below `least`: the others held cells that are missing or
/// mean nothing. `counts`: every row stands in one of them.
/// Checked by tests/posterior/usable_rows_test.cpp: rows_that_cannot_be_used_are_told
[[nodiscard]] std::optional<double> few_usable(const NoisyVector& counts, double rows, double least = 0.5);

/// Likewise where it is below .95, and clearly below one: where noise hides whether it is the one, it may still tell that it is not the
/// other.
/// Checked by tests/posterior/usable_rows_test.cpp: a_tenth_that_is_lost_is_told
[[nodiscard]] std::optional<double> not_all_usable(const NoisyVector& counts, double rows);

/// How many rows count, from all histograms together in which each of them stands once.
class UsableRows {
 public:
  void add(const NoisyVector& counts);
  [[nodiscard]] bool counted() const { return precision_ > 0; }
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
