// Raw cells of named columns of a CSV file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto {

/// The cells of the named columns, shape (columns) of (rows), as text. The first line holds the names; fields
/// may be quoted as in RFC 4180; an optional byte order mark, and CRLF are accepted. Every
/// further line is one record: a line that is blank, too short or has an open quote has empty cells. Errors: no_input when the file cannot be opened, io when reading fails, data
/// when it is empty or lacks a column. No error depends on a row.
[[nodiscard]] std::vector<std::vector<std::string>> read_csv_cells(const std::filesystem::path& path,
                                                                   const std::vector<std::string>& names);

/// Only the names in the first line.
[[nodiscard]] std::vector<std::string> read_csv_header(const std::filesystem::path& path);

/// A field as written into a CSV file: quoted where needed.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace sotto
