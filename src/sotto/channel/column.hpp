// The table of channels, and what privatising several columns costs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/randomised_response.hpp"
#include "sotto/channel/smoothed_histogram.hpp"

namespace sotto {

/// Every channel there is: a new one is a file that satisfies `ChannelLaw`, and its line here.
using AnyChannel =
    std::variant<DiscreteLaplaceChannel, DiscreteGaussianChannel, HaarChannel, RandomisedResponseChannel,
                 PerturbedHistogramChannel, SmoothedHistogramChannel>;

struct Column {
  ColumnSettings settings;
  AnyChannel channel;
};

/// One row per channel.
struct ChannelRow {
  std::string_view name;
  std::span<const std::string_view> keys;  ///< the settings it reads
  bool categories;                         ///< of texts, not of numbers
  bool global;                             ///< one release describes all rows together
  bool needs_delta;                        ///< or rho
  AnyChannel (*make)(const ColumnSettings&, const PrivacyTarget&, std::size_t rows);
};

/// The closed list of channels, in the order of `AnyChannel`.
[[nodiscard]] std::span<const ChannelRow> channel_table();
/// Errors: configuration for an unknown name.
[[nodiscard]] const ChannelRow& channel_row(std::string_view name);

struct ColumnPlan {
  std::vector<Column> columns;
  Guarantee total;  ///< of all columns together, for one row
};

/// Splits the target over the columns by their weights and builds their channels for `rows` rows.
///
/// Computes   rho: shares of rho. epsilon, delta with Gaussian columns only: shares of the rho of the tight
///            curve, less the discrete slack. Otherwise shares of epsilon, and of delta over the Gaussian
///            columns
/// Source     [BS16, Lemma 1.7] for rho; the composition of Gaussians is Gaussian; basic composition [D06]
/// Adjacency  substitute: one row is exchanged; the number of rows is public
/// Errors     configuration: a target of neither form, a Gaussian column without delta or rho, unknown
///            channels, a histogram beside other columns, settings out of range
/// Checked by tests/channel/column_test.cpp: epsilon_is_split_by_weight, mixed_columns_compose_by_addition
[[nodiscard]] ColumnPlan plan_columns(const std::vector<ColumnSettings>& settings,
                                      const PrivacyTarget& target, std::size_t rows);

/// Builds one column's channel. `target` is the column's own.
[[nodiscard]] Column make_column(ColumnSettings settings, const PrivacyTarget& target, std::size_t rows);

/// The number that a cell without one counts as. Errors: configuration when it is not as declared above.
[[nodiscard]] double missing_value(const ColumnSettings& settings);

[[nodiscard]] Guarantee guarantee(const AnyChannel& channel);

/// Under which names a release stores what is released of a column.
[[nodiscard]] std::vector<std::string> stored_names(const Column& column);

}  // namespace sotto
