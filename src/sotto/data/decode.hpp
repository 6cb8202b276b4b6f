// Total decoding: any text becomes a legal value of its column, or is missing. Never an error, never a
// message.
#pragma once

#include <optional>
#include <string_view>

#include "sotto/base/curator_side.hpp"
#include "sotto/data/schema.hpp"

namespace sotto {

/// What became of a cell.
enum class CellReading {
  value,         ///< taken as it is
  clamped,       ///< a number out of range, moved to the nearest bound
  missing,       ///< empty text, NA, NaN, null, None and the like
  out_of_range,  ///< missing, because the policy says so
  undecodable,   ///< missing: text that means nothing here
};

struct DecodedCell {
  CellReading reading = CellReading::missing;
  double value = 0;  ///< of `value` and `clamped`: finite, inside `column.range()`
};

/// What each kind of column accepts, blanks at both ends aside:
///   real      a number: digits, at most one point, an exponent, a sign; infinities lie out of range
///   count     a number without a fraction (3, 3.0)
///   binary    0, 1, true, false, t, f, yes, no, y, n, in capitals or not
///   category  one of the levels, letter by letter
/// Undecodable are all other texts, numbers too large for a double, a fraction in a count, another number in a binary
/// column, an unknown level.
[[nodiscard]] DecodedCell read_cell(const SchemaColumn& column, std::string_view cell);

/// The value of a cell; nothing where it is missing. The column's policy for missing cells is applied by the caller (see
/// table.hpp).
[[nodiscard]] std::optional<double> decode_cell(const SchemaColumn& column, std::string_view cell);

/// Without the blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// All of a trimmed text as one number; infinities are numbers.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// Whether trimmed text stands for a missing value in every kind of column.
[[nodiscard]] bool is_missing(std::string_view trimmed);

}  // namespace sotto
