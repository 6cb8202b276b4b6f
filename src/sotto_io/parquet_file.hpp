// Parquet files through Apache Arrow. Called by table_records.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
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

}  // namespace sotto
