// The output directory of a density estimate.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sotto/run/density.hpp"
#include "sotto_io/channel_file.hpp"

namespace sotto {

/// What the page says beside the figures.
struct DensityReport {
  DensityResult result;
  DensitySettings settings;
  std::vector<std::string> channels;             ///< per column; "none" for confidential data
  std::vector<std::vector<std::string>> levels;  ///< per column; empty unless its data are categories
  std::size_t rows = 0;
  std::optional<ChannelFile> channel;  ///< none: confidential data were used, and every page says NOT PRIVATE
  std::optional<double> agreement;     ///< adjusted Rand index with the partition of another run
};

/// Writes density.csv, clusters.json, synthetic.csv, chain_N.csv, summary.json and report.html. Errors:
/// cannot_create, io.
void write_density(const std::filesystem::path& directory, const DensityReport& report);

/// The partition of least expected variation of information in a directory that `write_density` wrote. Errors: no_input; data
/// when it holds none.
[[nodiscard]] mixture::Allocation read_partition(const std::filesystem::path& directory);

/// What `--json` prints.
[[nodiscard]] nlohmann::json density_summary(const DensityReport& report);

/// The page alone: self-contained, no scripts, nothing from the network.
[[nodiscard]] std::string density_html(const DensityReport& report);

}  // namespace sotto
