// Tables from files: CSV (.csv, .tsv) and Parquet (.parquet, .pq).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"

namespace sotto {

/// The names of a file's columns, from its header alone.
/// Errors: no_input (not there), data (no header, unknown kind of file).
[[nodiscard]] std::vector<std::string> read_column_names(const std::filesystem::path& path);

/// Decodes the declared columns of a file. A line of a CSV file that has another number of fields than the
/// header, or an open quote, contributes nothing. No error depends on a row and none quotes the library that
/// read the file, whose messages may hold cells. Errors: configuration (schema), no_input, data (no header, a
/// declared column is missing or of a type that holds no single values, not a Parquet file), io.
[[nodiscard]] Table read_table(const std::filesystem::path& path, const Schema& schema);

}  // namespace sotto
