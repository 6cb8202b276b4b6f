// The output directory of a density estimate.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sotto_io/density_report.hpp"

namespace sotto {

/// Writes density.csv, clusters.json, synthetic.csv, chain_N.csv, summary.json and report.html. Errors:
/// cannot_create, io.
void write_density(const std::filesystem::path& directory, const DensityReport& report);

/// The partition of least expected variation of information in a directory that `write_density` wrote. Errors: no_input; data
/// when it holds none.
[[nodiscard]] mixture::Allocation read_partition(const std::filesystem::path& directory);

/// What `--json` prints.
[[nodiscard]] nlohmann::json density_summary(const DensityReport& report);

}  // namespace sotto
