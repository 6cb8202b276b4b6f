// Cells of named columns as text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sotto_io/table_records.hpp"

namespace sotto {

/// The cells of the named columns, shape (columns) of (records), as text, in one pass. Cells of a record that contributes nothing,
/// and nulls, are empty. Errors: those of read_records.
[[nodiscard]] std::vector<std::vector<std::string>> read_cells(const RecordReader& records,
                                                               const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::vector<std::string>> read_csv_cells(const std::filesystem::path& path,
                                                                   const std::vector<std::string>& names);

/// Whether text is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// A field as written into a CSV file: quoted where needed.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace sotto
