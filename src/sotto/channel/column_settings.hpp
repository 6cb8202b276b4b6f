// What is to be privatised and how, declared before any row is read.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sotto/channel/grid.hpp"
#include "sotto/channel/guarantee.hpp"

namespace sotto {

/// One column as declared. Nothing in it may come from the rows. A channel reads the settings that its `kKeys` name.
struct ColumnSettings {
  std::string name;
  std::string channel = "laplace";                          ///< a name in the table of channels (column.hpp)
  double lower = std::numeric_limits<double>::quiet_NaN();  ///< of the domain; data beyond it are clamped
  double upper = std::numeric_limits<double>::quiet_NaN();
  double weight = 1;  ///< share of the budget, relative to the other columns
  std::string missing =
      "middle";  ///< what a cell without a number counts as: lower, middle, upper or a number
  std::vector<std::string> levels = {};   ///< the categories; any other text counts as the first
  long long steps = Grid::kDefaultSteps;  ///< grid steps over the domain
  int top_level = 4;                      ///< of a wavelet
  bool printed_scale = false;             ///< wavelet: the wider published scale
  int bins = 0;           ///< histograms; 0: 4 floor(n^(1/5) + 1) for n rows [WZ10, Theorem 4.3]
  std::size_t draws = 0;  ///< smoothed histogram; 0: floor(n^(3/5) + 1) for n rows
};

/// Either rho, or epsilon and perhaps delta.
struct PrivacyTarget {
  std::optional<Epsilon> epsilon;
  std::optional<Delta> delta;
  std::optional<Rho> rho;

  /// Of a pure channel.
  [[nodiscard]] Epsilon pure() const { return rho ? pure_epsilon(*rho) : epsilon.value(); }
};

/// What a channel released of one column: of a local channel, shape (rows * width), row by row; of a global one, its release.
struct PrivatisedColumn {
  std::vector<double> values;  ///< categories as their number
  std::size_t width = 1;       ///< values per record; the wavelet channel has many
};

}  // namespace sotto
