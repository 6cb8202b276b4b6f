// What is to be privatised and how, declared before any row is read, and what that costs.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/randomised_response.hpp"
#include "sotto/channel/smoothed_histogram.hpp"

namespace sotto {

/// One column as declared. Nothing in it may come from the rows.
struct ColumnSettings {
  std::string name;
  std::string channel =
      "laplace";     ///< or gaussian, wavelet, randomized-response, perturbed-histogram, smoothed-histogram
  double lower = 0;  ///< of the domain; data beyond it are clamped
  double upper = 0;
  double weight = 1;  ///< share of the budget, relative to the other columns
  std::string missing =
      "middle";  ///< what a cell without a number counts as: lower, middle, upper or a number
  std::vector<std::string> levels =
      {};  ///< randomized-response: the categories; any other text counts as the first
  long long steps = Grid::kDefaultSteps;  ///< laplace, gaussian: grid steps over the domain
  int top_level = 4;                      ///< wavelet
  bool printed_scale = false;             ///< wavelet: the wider published scale
  int bins = 0;           ///< histograms; 0: 4 floor(n^(1/5) + 1) for n rows [WZ10, Theorem 4.3]
  std::size_t draws = 0;  ///< smoothed-histogram; 0: floor(n^(3/5) + 1) for n rows
};

using AnyChannel =
    std::variant<DiscreteLaplaceChannel, DiscreteGaussianChannel, HaarChannel, RandomisedResponseChannel,
                 PerturbedHistogramChannel, SmoothedHistogramChannel>;

struct Column {
  ColumnSettings settings;
  AnyChannel channel;
};

/// Either rho, or epsilon and perhaps delta.
struct PrivacyTarget {
  std::optional<Epsilon> epsilon;
  std::optional<Delta> delta;
  std::optional<Rho> rho;
};

struct ColumnPlan {
  std::vector<Column> columns;
  Guarantee total;  ///< of all columns together, for one row
};

/// Splits the target over the columns by their weights and builds their channels for `rows` rows.
///
/// Computes   rho: shares of rho. epsilon, delta with Gaussian columns only: shares of the rho of the tight
/// curve, less the
///            discrete slack. Otherwise shares of epsilon, and of delta over the Gaussian columns
/// Source     [BS16, Lemma 1.7] for rho; the composition of Gaussians is Gaussian; basic composition [D06]
/// Adjacency  substitute: one row is exchanged; the number of rows is public
/// Errors     configuration: a target of neither form, a Gaussian column without delta or rho, unknown
/// channels, a
///            histogram beside other columns, settings out of range
/// Checked by tests/channel/column_test.cpp
[[nodiscard]] ColumnPlan plan_columns(const std::vector<ColumnSettings>& settings,
                                      const PrivacyTarget& target, std::size_t rows);

/// Builds one column's channel. `target` is the column's own.
[[nodiscard]] Column make_column(ColumnSettings settings, const PrivacyTarget& target, std::size_t rows);

/// The number that a cell without one counts as. Errors: configuration when it is not as declared above.
[[nodiscard]] double missing_value(const ColumnSettings& settings);

[[nodiscard]] Guarantee guarantee(const AnyChannel& channel);

}  // namespace sotto
