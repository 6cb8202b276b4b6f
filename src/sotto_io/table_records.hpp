// Records of a table in a file of any format that is read: CSV (.csv, .txt, .tsv) or Parquet (.parquet, .pq).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

struct TableRecord {
  /// False where the record has another number of cells than the header, or is beyond the limits of csv_reader.hpp: it
  /// then contributes nothing, and all its cells are empty.
  bool whole = true;
  /// In the order in which they were asked for; nothing where a Parquet file holds a null.
  std::span<const std::optional<std::string_view>> cells;
};

/// The names of a file's columns, from its header alone. Errors: no_input (not there), data (no header, unknown kind of
/// file).
[[nodiscard]] std::vector<std::string> read_column_names(const std::filesystem::path& path);

/// Visits all records. `names`: the columns to read, as the user calls them. No error depends on a row, but for
/// one: that a file is not well formed, which one constant sentence says; being well formed is taken as public. No error
/// quotes a library that read the file, whose messages may hold cells. Errors: no_input; data (no header, a column is
/// missing, there twice or of a type that holds no single values, not a Parquet file); io.
void read_records(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const std::function<void(const TableRecord&)>& visit);

}  // namespace sotto
