// Parquet files through Apache Arrow. Called by table_records, and written by privatised_file.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sotto_io/table_records.hpp"

namespace sotto {

/// Errors as for read_column_names.
[[nodiscard]] std::vector<std::string> read_parquet_names(const std::filesystem::path& path);

/// See read_records. Every value is written out as text, so that a table means the same in both formats. A record with
/// more than kMostCellBytes in one of these cells is not whole. What the reader itself occupies follows from the file's
/// pages.
void read_parquet_records(const std::filesystem::path& path, const std::vector<std::string>& names,
                          const std::function<void(const TableRecord&)>& visit);

/// A column to write, of numbers or of text.
struct StoredColumn {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> values;
};

/// The bytes of a file of columns of one length.
[[nodiscard]] std::string parquet_of(std::span<const StoredColumn> columns);

}  // namespace sotto
