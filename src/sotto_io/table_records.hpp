// Records of a table, wherever it is, and in a file of any format that is read: CSV (.csv, .txt, .tsv) or Parquet (.parquet, .pq).
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

/// Visits all records of a table: `read_records` bound to a file, or `read_stream_records` to a stream.
using RecordReader = std::function<void(const std::vector<std::string>& names,
                                        const std::function<void(const TableRecord&)>& visit)>;

/// Where each wanted column stands. `table`: what it is called in messages. Errors: data where one is missing or there twice.
[[nodiscard]] std::vector<std::size_t> column_places(const std::string& table,
                                                     const std::vector<std::string>& present,
                                                     const std::vector<std::string>& wanted);

/// Before anything else is asked of it. Errors: no_input where it is not there; data where its name does not tell its format.
void check_table_file(const std::filesystem::path& path);

/// The names of a file's columns, from its header alone. Errors: no_input (not there), data (no header, unknown kind of
/// file).
[[nodiscard]] std::vector<std::string> read_column_names(const std::filesystem::path& path);

/// Visits all records. `names`: the columns to read, as the user calls them. No error depends on a row, but for
/// one: that a file is not well formed, which one constant sentence says; being well formed is taken as public. No error
/// quotes a library that read the file, whose messages may hold cells. Errors: no_input; data (no header, a column is
/// missing, there twice or of a type that holds no single values, not a Parquet file); io.
void read_records(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const std::function<void(const TableRecord&)>& visit);

/// `read_records` of that file.
[[nodiscard]] RecordReader records_of(const std::filesystem::path& path);

}  // namespace sotto
