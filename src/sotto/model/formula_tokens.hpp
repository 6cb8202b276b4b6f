// A formula's text as words: names, numbers, quoted levels and symbols.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

struct FormulaToken {
  enum class Kind { name, number, text, symbol, end } kind;
  std::string text;
};

/// The last one is the end. Errors: configuration for a character that stands in no formula, or a quote that is not closed.
[[nodiscard]] std::vector<FormulaToken> formula_tokens(std::string_view text);

/// A column's name as a formula reads it: in back quotes where it is no plain name.
[[nodiscard]] std::string name_in_formula(const std::string& column);

}  // namespace sotto
