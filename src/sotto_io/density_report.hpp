// A density estimate with what its files and its page say of where it came from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/mixture/fit/density.hpp"
#include "sotto_io/channel_file.hpp"

namespace sotto {

struct DensityReport {
  DensityResult result;
  DensitySettings settings;
  std::vector<std::string> channels;             ///< per column; "none" for confidential data
  std::vector<std::vector<std::string>> levels;  ///< per column; empty unless its data are categories
  std::size_t rows = 0;
  std::optional<ChannelFile> channel;  ///< none: confidential data were used, and every page says NOT PRIVATE
  std::optional<double> agreement;     ///< adjusted Rand index with the partition of another run
};

/// A point of a column's grid as it is written: a category by its name.
[[nodiscard]] std::string point_name(const DensityReport& report, std::size_t column, Eigen::Index x);

}  // namespace sotto
