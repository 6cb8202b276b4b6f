// What is declared about a table before any row is read: columns, bounds, policies, the unit of privacy.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {

enum class ColumnKind {
  real,      ///< a number in [lower, upper]
  count,     ///< a whole number in [lower, upper], lower >= 0
  binary,    ///< 0 or 1; true, false, yes and no are read too
  category,  ///< one of the levels, held as its index
};

/// What becomes of a row whose cell is missing: it contributes nothing, or the cell takes the declared value.
enum class MissingPolicy { drop, impute };

/// What becomes of a number outside the bounds: it moves to the nearest bound, or counts as missing.
enum class OutOfRangePolicy { clamp, missing };

/// A public guess of how the values of a column lie. Plans make rows up from it; nothing else depends on it.
struct ExpectedValues {
  std::optional<double> mean{};  ///< of numbers; of a binary column the share of ones
  std::optional<double> sd{};    ///< of numbers, which have both
  std::vector<double> shares{};  ///< of a category's levels, in their order
};

/// A declared column. Every decoded value lies in `range()`.
struct SchemaColumn {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  Interval bounds{0, 1};              ///< real and count
  std::vector<std::string> levels{};  ///< category
  MissingPolicy missing = MissingPolicy::drop;
  double imputed = 0;  ///< the value of a missing cell under `impute`; a level's index for a category
  OutOfRangePolicy out_of_range = OutOfRangePolicy::clamp;
  ExpectedValues expected{};

  /// All values lie in here: the bounds, [0, 1], or the indices of the levels.
  [[nodiscard]] Interval range() const;
};

/// Whose presence is protected: one row, or all rows of one person, of which at most `maximum_rows` are used.
struct UnitDeclaration {
  static constexpr std::size_t kMostRows = 1'000'000;

  std::string person{};  ///< name of the column that identifies a person; empty: the unit is one row
  std::size_t maximum_rows = 1;

  [[nodiscard]] bool is_row() const { return person.empty(); }
};

/// The declaration of a table. Everything here is public.
struct Schema {
  std::vector<SchemaColumn> columns;
  UnitDeclaration unit{};
  Adjacency adjacency = Adjacency::substitute;

  /// The column of that name. Throws ErrorCode::configuration, listing the declared names.
  [[nodiscard]] const SchemaColumn& column(const std::string& name) const;
  [[nodiscard]] std::size_t index(const std::string& name) const;
  /// The same declaration for these columns only, in this order: a cell of an unused column then drops no
  /// row.
  [[nodiscard]] Schema select(const std::vector<std::string>& names) const;
};

/// Throws ErrorCode::configuration, saying what to change, unless the declaration is complete and consistent:
/// distinct names, bounds at least 1e-100 apart and at most 1e100, counts with whole bounds >= 0, distinct levels without blanks at their ends,
/// imputed values that are legal, expected ones that values within the bounds can have.
void check(const Schema& schema);

}  // namespace sotto
