// Total decoding: any text becomes a legal value of its column, or is missing. Never an error, never a
// message.
#pragma once

#include <optional>
#include <string_view>

#include "sotto/data/schema.hpp"

namespace sotto {

/// The value of a cell, always inside `column.range()` and finite; nothing where the cell is missing.
/// Missing are: empty text, NA, NaN, null, None and the like, text that is no number, a number too large for
/// a double, a fraction in a count, an unknown level, and numbers out of range where the policy says so. The
/// column's policy for missing cells is applied by the caller (see table.hpp).
[[nodiscard]] std::optional<double> decode_cell(const SchemaColumn& column, std::string_view cell);

/// Without the blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// Whether trimmed text stands for a missing value in every kind of column.
[[nodiscard]] bool is_missing(std::string_view trimmed);

}  // namespace sotto
