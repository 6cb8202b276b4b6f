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
  std::string column;
  std::size_t rows = 0;
  std::optional<ChannelFile> channel;  ///< none: confidential data were used, and every page says NOT PRIVATE
  std::string channel_name;
};

/// Writes density.csv, clusters.json, synthetic.csv, chain_N.csv, summary.json and report.html. Errors:
/// cannot_create, io.
void write_density(const std::filesystem::path& directory, const DensityReport& report);

/// What `--json` prints.
[[nodiscard]] nlohmann::json density_summary(const DensityReport& report);

/// The page alone: self-contained, no scripts, nothing from the network.
[[nodiscard]] std::string density_html(const DensityReport& report);

}  // namespace sotto
