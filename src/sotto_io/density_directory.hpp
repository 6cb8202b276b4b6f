// The output directory of a density estimate.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sotto_io/density_report.hpp"

namespace sotto {

/// Writes density.csv, clusters.json, synthetic.csv, chain_N.csv, summary.json and report.html, in the place of what an earlier run wrote. Of confidential data every one
/// of them says that it is not private: tables by a column NOT_PRIVATE of ones, chains by a line of their header, JSON by
/// "private": false. Errors: cannot_create, io.
void write_density(const std::filesystem::path& directory, const DensityReport& report);

/// A partition of a run's rows, and whether a release is all it was made from.
struct Partition {
  mixture::Allocation labels;
  bool is_private = false;
  std::vector<std::string> release{};  ///< as `release_of`
};

/// The partition of least expected variation of information in a directory that `write_density` wrote. Errors: no_input; data
/// when it holds none.
[[nodiscard]] Partition read_partition(const std::filesystem::path& directory);

/// What `--json` prints.
[[nodiscard]] nlohmann::json density_summary(const DensityReport& report);

}  // namespace sotto
