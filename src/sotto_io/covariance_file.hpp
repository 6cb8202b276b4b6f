// A row's known covariance in a file of its own, which is public as the rest of the configuration is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/run/fit_config.hpp"

namespace sotto {

/// The matrix of a CSV file whose header names the columns, in any order, and whose rows are in the header's order: in the order of
/// `columns`, shape (columns, columns). What is said of any other file does not depend on what its cells hold. Errors: no_input; data.
[[nodiscard]] std::vector<std::vector<double>> read_covariance(const std::filesystem::path& file,
                                                               const std::vector<std::string>& columns);

/// `parse_fit_config` with the matrix in the place of the file that model.covariance names, in `toml` too; its path is relative to
/// `folder`. Errors: those of both.
[[nodiscard]] FitConfig parse_fit_config_in(const std::filesystem::path& folder, std::string_view toml,
                                            const std::vector<std::string>& overrides);

}  // namespace sotto
