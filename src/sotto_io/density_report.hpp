// A density estimate with what its files and its page say of where it came from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto_io/channel_file.hpp"
#include "sotto_io/density_difference.hpp"

namespace sotto {

struct DensityReport {
  DensityResult result;
  std::vector<ParameterSummary> diagnostics;  ///< of the result's draws
  DensitySettings settings;
  std::vector<std::string> channels;             ///< per column; "none" for confidential data
  std::vector<std::vector<std::string>> levels;  ///< per column; empty unless its data are categories
  std::size_t rows = 0;
  std::optional<ChannelFile> channel;  ///< none: confidential data were used, and every page says NOT PRIVATE
  std::optional<double> agreement;  ///< adjusted Rand index with the partition of another run, or with labels
  bool nothing_to_compare =
      false;                   ///< of both partitions one has a single cluster: then there is no agreement
  double agreement_lower = 0;  ///< of the interval that its draws have
  double agreement_upper = 0;
  bool with_labels =
      false;  ///< the other partition is a file of labels, of which nothing says where it is from
  std::vector<std::string> of_the_other{};  ///< what is to be said of the other group's run
  bool same_rows = true;  ///< false: of that partition nothing says that its rows stand in this run's order
  std::vector<QuantityDifference> differences{};  ///< from another group's run
  bool differences_are_private = true;            ///< false: as below
  bool agreement_is_private =
      true;  ///< false: the other run was made without noise, and so are the index and what shows it
};

/// Which release a run is of: the fingerprints of all its columns. Empty for confidential data.
[[nodiscard]] std::vector<std::string> release_of(const DensityReport& report);
[[nodiscard]] std::vector<std::string> release_of(const ChannelFile& file);

/// Whether the run read a release whose noise nobody can repeat: its draws, and what is made of them, are as private as that.
[[nodiscard]] bool draws_are_private(const DensityReport& report);
/// Whether all that is shown keeps a promise.
[[nodiscard]] bool is_private(const DensityReport& report);

/// How much the data tell beside the prior, from the width of the bands alone, for densities, counts and categories alike:
///   next to nothing   bands at least 3/4 as wide as before any data were seen
///   much              less than 2/5 as wide, and narrower than the density itself (on average over the data)
///   little            between
enum class Learned { next_to_nothing, little, much };
inline constexpr double kNextToNothing = 0.75;
inline constexpr double kMuch = 0.4;
[[nodiscard]] Learned learned(const ColumnDensity& column);

/// What to do where chains have not mixed, and what it costs in words that fit where the data came from: what was swept as a warmup,
/// and twice as long.
[[nodiscard]] std::string draw_longer(const DensityReport& report);

/// What the estimate of a column is worth, in one sentence: `told` in words, and none while `worst_rhat` is above `kMixedRhat`.
/// The R-hat of clusters and of their concentration is warned of, and does not keep back a verdict on the density.
[[nodiscard]] std::string verdict(const DensityReport& report, std::size_t column);
/// Whether it says anything but that there is none.
[[nodiscard]] bool has_verdict(const DensityReport& report);

/// A parameter of the draws as people asked for it, "q(0.9)" for "quantity.1", or know it, "log density at 30"; other names stay.
[[nodiscard]] std::string quantity_name(const DensityReport& report, const std::string& parameter);

/// An interval, as it is written: "46.0 to 52.0".
[[nodiscard]] std::string from_to(double lower, double upper);
/// A quantity, or by how much it differs between groups, in one sentence; `level` of the intervals.
[[nodiscard]] std::string sentence(const QuantityEstimate& quantity, double level);
[[nodiscard]] std::string sentence(const QuantityDifference& difference, double level);

/// Whether the run was stopped before its end.
[[nodiscard]] bool ended_early(const DensityReport& report);

/// What became of cells without a legal value, a sentence for every column that is estimated of a release: the same whether there were
/// any.
[[nodiscard]] std::vector<std::string> illegal_cells(const DensityReport& report);

/// A point of a column's grid as it is written: a category by its name.
[[nodiscard]] std::string point_name(const DensityReport& report, std::size_t column, Eigen::Index x);

}  // namespace sotto
