// R-style formulas: y ~ x1 + x2 + x1:x2 + x1*x2 + C(region) - 1, y > 0 ~ ..., y == 'level' ~ ..., Surv(time, event == 2) ~ ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sotto/model/column_function.hpp"

namespace sotto {

/// Errors: configuration, always; `message` says what to change.
[[noreturn]] void refuse_formula(const std::string& message);

/// A column as it enters a formula.
struct Variable {
  std::string column;
  const ColumnFunction* function = nullptr;  ///< none: the column as it is
  bool categorical = false;  ///< written C(column): a count or binary column taken as a category
  int number = 0;            ///< of the function: I(column^number), poly(column, number)

  friend bool operator==(const Variable&, const Variable&) = default;
  [[nodiscard]] std::string text() const;  ///< as it is written
  [[nodiscard]] bool is_basis() const { return function != nullptr && function->basis; }
  /// Of a column and its powers: they say the same as a basis of it.
  [[nodiscard]] bool has_number() const { return function != nullptr && !function->before_number.empty(); }
};

/// A product of distinct variables, in the order in which they first appear on the right side.
struct Term {
  std::vector<Variable> variables;
};

/// The relation between the response's column and a number or level that makes a response of 0 and 1.
struct Comparison {
  enum class Relation { less, less_equal, equal, not_equal, greater_equal, greater };
  Relation relation;
  std::variant<double, std::string> with;
};

/// What varies between a category's levels about its mean: the intercept, or a column's coefficient.
struct VaryingTerm {
  Variable group;
  std::optional<Variable> slope{};  ///< none: the intercept

  friend bool operator==(const VaryingTerm&, const VaryingTerm&) = default;
};

/// What a formula says, before it meets a schema.
struct Formula {
  std::string text;  ///< as it was written
  Variable response;
  std::optional<Comparison> comparison;
  std::optional<Variable> event;  ///< written Surv(time, event): what ended the response, a time at risk
  std::optional<Comparison> event_comparison;  ///< written Surv(time, event == 2)
  bool intercept = true;
  std::vector<Term> terms;           ///< main effects first, then by order, as in R
  std::optional<Variable> offset;    ///< written offset(column) or offset(log(column)): its coefficient is 1
  std::vector<VaryingTerm> varying;  ///< written (1 | g), (x || g), (0 + x + z || g)
  bool correlated =
      false;  ///< some intercepts and slopes, or slopes, are written with one bar, (x | g): R's are correlated

  /// Every column it reads, each once, the response first.
  [[nodiscard]] std::vector<std::string> columns() const;
};

/// Grammar of the right side: + - : * ^ and parentheses with R's meaning, 0 and 1 for the intercept, C(x),
/// functions of one column (column_function.hpp), one offset(x) or offset(log(x)), (1 | g), (x || g), and `back quotes` around
/// names with odd characters. Throws ErrorCode::configuration, saying what to change.
[[nodiscard]] Formula parse_formula(std::string_view text);

}  // namespace sotto
