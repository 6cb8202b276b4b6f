#include "sotto/data/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/data/decode.hpp"

namespace sotto {

namespace {

// Squares and products of bounds, and of their distance, must stay numbers.
constexpr double kLargestBound = 1e100;
constexpr double kLeastWidth = 1e-100;
constexpr double kLeastExpected = 1e-12;  // of the width of the bounds: squares must stay numbers
constexpr double kRoundedShares = 0.01;   // what a sum of shares may be off by
// Above this not every whole number is a double.
constexpr double kLargestCount = 9007199254740992.0;

void check_bounds(const SchemaColumn& column) {
  const auto [lower, upper] = column.bounds;
  if (!(std::abs(lower) <= kLargestBound) || !(std::abs(upper) <= kLargestBound)) {
    refuse(fmt::format("column {}: lower and upper must be finite numbers of at most 1e100", column.name));
  }
  if (!(lower < upper)) {
    refuse(
        fmt::format("column {}: lower must be less than upper (now {} and {})", column.name, lower, upper));
  }
  if (!(upper - lower >= kLeastWidth)) {
    refuse(fmt::format("column {}: lower and upper must be at least 1e-100 apart", column.name));
  }
  if (column.kind != ColumnKind::count) return;
  if (lower < 0 || upper > kLargestCount || lower != std::floor(lower) || upper != std::floor(upper)) {
    refuse(fmt::format("column {}: the bounds of a count must be whole numbers >= 0", column.name));
  }
}

void check_levels(const SchemaColumn& column) {
  if (column.levels.size() < 2) {
    refuse(fmt::format("column {}: a category needs levels = [...] with two or more levels", column.name));
  }
  std::set<std::string> seen;
  for (const std::string& level : column.levels) {
    if (level.empty()) refuse(fmt::format("column {}: a level must not be empty text", column.name));
    if (trim(level) != level) {
      refuse(fmt::format("column {}: level \"{}\" begins or ends with a blank, which cells are read without",
                         column.name, level));
    }
    if (!seen.insert(level).second) {
      refuse(fmt::format("column {}: level \"{}\" is listed twice; list each once", column.name, level));
    }
  }
}

void check_imputed(const SchemaColumn& column) {
  if (column.missing != MissingPolicy::impute) return;
  const auto [lower, upper] = column.range();
  const bool whole = column.kind == ColumnKind::real || column.imputed == std::floor(column.imputed);
  if (!(lower <= column.imputed && column.imputed <= upper) || !whole) {
    refuse(fmt::format("column {}: the imputed value must be a legal value of the column", column.name));
  }
}

void check_expected_shares(const SchemaColumn& column) {
  const std::vector<double>& shares = column.expected.shares;
  if (shares.empty()) return;
  const bool legal =
      std::all_of(shares.begin(), shares.end(), [](double share) { return share > 0 && share < 1; });
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (shares.size() != column.levels.size() || !legal || !(std::abs(sum - 1) <= kRoundedShares))
    refuse(fmt::format("column {}: expected_shares must be one positive share for each level, of sum one",
                       column.name));
}

void check_expected(const SchemaColumn& column) {
  check_expected_shares(column);
  const auto [mean, sd, shares] = column.expected;
  if (column.kind == ColumnKind::binary) {
    if (mean && !(*mean > 0 && *mean < 1))
      refuse(fmt::format("column {}: expected_mean is the share of ones, between 0 and 1", column.name));
    return;
  }
  if (!mean && !sd) return;
  if (!mean || !sd)
    refuse(
        fmt::format("column {}: expected_mean = NUMBER and expected_sd = NUMBER go together", column.name));
  const auto [lower, upper] = column.bounds;
  const double least = kLeastExpected * (upper - lower);
  if (!(*sd >= least && *mean - lower >= least && upper - *mean >= least))
    refuse(
        fmt::format("column {}: expected_sd, and expected_mean less either bound, must be at least 1e-12 "
                    "times the width of the bounds",
                    column.name));
  if (!(*sd / (*mean - lower) < (upper - *mean) / *sd))
    refuse(fmt::format("column {}: no values between the bounds have that expected_mean and expected_sd",
                       column.name));
}

}  // namespace

Interval SchemaColumn::range() const {
  switch (kind) {
    case ColumnKind::real:
    case ColumnKind::count:
      return bounds;
    case ColumnKind::binary:
      return {0, 1};
    case ColumnKind::category:
      return {0, static_cast<double>(levels.size()) - 1};
  }
  return bounds;
}

std::size_t Schema::index(const std::string& name) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  std::vector<std::string> known;
  for (const SchemaColumn& column : columns) known.push_back(column.name);
  refuse(fmt::format("column {} is not declared in the schema{}; add it there or use one of: {}", name,
                     suggestion(name, known), fmt::join(known, ", ")));
}

const SchemaColumn& Schema::column(const std::string& name) const { return columns[index(name)]; }

Schema Schema::select(const std::vector<std::string>& names) const {
  Schema selected{{}, unit, adjacency};
  for (const std::string& name : names) selected.columns.push_back(column(name));
  return selected;
}

void check(const Schema& schema) {
  if (schema.columns.empty())
    refuse("the schema declares no column; add one [[column]] for each column to use");
  std::set<std::string> seen;
  for (const SchemaColumn& column : schema.columns) {
    if (column.name.empty()) refuse("every column of the schema needs a name");
    if (!seen.insert(column.name).second) {
      refuse(fmt::format("column {} is declared twice; declare it once", column.name));
    }
    if (column.name == schema.unit.person) {
      refuse(fmt::format("column {} identifies persons; it cannot be a declared column too", column.name));
    }
    if (column.kind == ColumnKind::real || column.kind == ColumnKind::count) check_bounds(column);
    if (column.kind == ColumnKind::category) check_levels(column);
    check_imputed(column);
    check_expected(column);
  }
  if (schema.unit.maximum_rows < 1 || schema.unit.maximum_rows > UnitDeclaration::kMostRows)
    refuse(fmt::format("maximum_rows of the privacy unit must be a whole number from 1 to {}",
                       UnitDeclaration::kMostRows));
  if (schema.unit.is_row() && schema.unit.maximum_rows != 1) {
    refuse("maximum_rows needs the name of the person column: add person = \"...\" to [unit]");
  }
}

}  // namespace sotto
