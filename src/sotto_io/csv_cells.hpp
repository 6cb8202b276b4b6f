// Cells of named columns as text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto {

/// The cells of the named columns, shape (columns) of (records), as text. Cells of a record that contributes nothing, and
/// nulls, are empty. Errors: those of read_records.
[[nodiscard]] std::vector<std::vector<std::string>> read_csv_cells(const std::filesystem::path& path,
                                                                   const std::vector<std::string>& names);

/// A field as written into a CSV file: quoted where needed.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace sotto
