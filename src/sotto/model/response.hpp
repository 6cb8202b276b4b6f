// Columns of the table as a formula reads them, and its left side: values within declared bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/response_kind.hpp"
#include "sotto/model/time_at_risk.hpp"

namespace sotto {

/// A column of the table as a design reads it, after its function or comparison.
struct Source {
  Variable variable;
  SchemaColumn declared;                   ///< as in the schema
  Interval range;                          ///< of its values; indices for a category
  std::vector<std::string> levels;         ///< names of the levels of a category, else empty
  std::optional<Comparison> comparison{};  ///< with a number, or with a level by its index
  int part = 1;                            ///< which of a basis's values, from 1

  [[nodiscard]] bool is_category() const { return !levels.empty() && !comparison; }
  [[nodiscard]] std::string name() const;  ///< "x", "log(x)", "poly(x)[1]"
  /// What a decoded cell becomes: its function, the index of its level, or whether the comparison holds, 0 or 1.
  [[nodiscard]] double value(double cell) const;
};

/// Of a basis the first value. Errors: configuration for a column that is not there, a function that is not defined on all its values, or levels of what has none.
[[nodiscard]] Source source_of(const Variable& variable, const Schema& schema);

/// The left side of the formula.
struct Response {
  std::string name;
  ResponseKind kind;
  Interval range;  ///< of its values; of ordered categories indices
  Source source;
  double unit = 1;                           ///< rows have the response in this unit
  std::optional<Source> event{};             ///< of a time at risk
  std::optional<TimeAtRisk> time_at_risk{};  ///< likewise: its pieces, which are rows of the design

  /// Within its range, in its unit.
  [[nodiscard]] double value(double cell) const;
  /// From now on in a unit of which the upper bound has so many. Errors: configuration if that is not above 0.
  void count_in_steps(double steps);
  /// Names of a design's rows for each of the table, where there are several: pieces of time, or thresholds between ordered
  /// categories.
  [[nodiscard]] std::vector<std::string> pieces() const;
};

/// `cuts`: where the pieces of a time at risk meet. Errors: configuration, saying what to change, if formula, schema and cuts do not fit.
[[nodiscard]] Response response_of(const Formula& formula, const Schema& schema,
                                   const std::vector<double>& cuts);

}  // namespace sotto
