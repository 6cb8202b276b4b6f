// Rows made up from public facts, in place of a private table: what a plan rehearses on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

inline constexpr std::size_t kMostMadeUpRows = 10'000'000;

/// All of it is public, `like` included.
struct MadeUpRows {
  std::size_t rows = 0;
  /// None: what the schema expects; else half of the responses are ones, or have the event; counts are one, numbers are in the middle.
  std::optional<double> response_mean{};
  const Table* like =
      nullptr;  ///< its rows are drawn again and again; none: columns are independent, and as `made_up_cell` says
  std::uint64_t seed = 1;
};

/// A problem of made-up rows, and what they were made from.
struct MadeUpProblem {
  Problem problem;
  Position truth;  ///< of the parameters, as reported
};

/// Columns are as the schema expects, or else spread evenly (run/made_up_cells.hpp), unless `like` has them. Effects are of
/// middling size, of random signs: the linear predictor's standard deviation is 0.7 for odds, 0.5 for rates and half a residual's
/// for numbers; residuals, where their size is not given, a twelfth of the declared range. Where the schema expects a standard
/// deviation of the responses, all of these together have it: counts and costs vary more than their family's simplest law. Times to an event have one hazard from
/// beginning to end, rates' effects, and end at the declared upper bound at the latest.
/// Of a normal mean: run/made_up_means.hpp.
/// `like` must hold the columns of the right side and outlive the problem.
/// Errors: configuration, for what is neither, or a mean that the responses cannot have.
[[nodiscard]] MadeUpProblem make_up(const FitConfig& config, const Schema& schema, const MadeUpRows& made);

/// What the schema expects the responses' mean to be; nothing where it says nothing.
[[nodiscard]] std::optional<double> expected_mean(const FitConfig& config, const Schema& schema);

/// The columns that `like` needs.
[[nodiscard]] std::vector<std::string> columns_of_right_side(const FitConfig& config, const Schema& schema);

}  // namespace sotto
