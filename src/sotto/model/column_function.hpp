// Functions of one column that formulas know, in one table: values and their range follow from the column's declared bounds alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"

namespace sotto {

/// Written name(column), or with a whole number behind the column: I(column^2), poly(column, 3).
struct ColumnFunction {
  std::string_view name;
  std::string_view before_number{};  ///< "^", ","; empty: there is no number
  int least = 0, most = 0;           ///< of the number
  int example = 0;                   ///< likewise, in what is said to people
  bool basis = false;                ///< it has `number` values, each a column of the design; else one
  /// Whether it is defined from there on; none: everywhere.
  bool (*defined)(double lower) = nullptr;
  /// `part`: which of the values, from 1; `bounds`: the column's.
  double (*value)(double x, const Interval& bounds, int number, int part);
  /// All values lie in it; none: it rises, or falls, on each side of zero.
  std::optional<Interval> values{};

  /// As it is written.
  [[nodiscard]] std::string text(std::string_view column, int number) const;
  /// Of its values. Checked by tests/model/column_function_test.cpp: no_value_leaves_its_range
  /// They are clamped to it where they are computed, so rounding does not pass it.
  [[nodiscard]] Interval range(const Interval& bounds, int number) const;
};

[[nodiscard]] std::span<const ColumnFunction> column_functions();
/// Null where there is none of that name.
[[nodiscard]] const ColumnFunction* find_column_function(std::string_view name);

}  // namespace sotto
