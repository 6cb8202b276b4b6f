// Parquet files through Apache Arrow. Called by table_file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/data/table.hpp"

namespace sotto {

/// Errors as for read_column_names.
[[nodiscard]] std::vector<std::string> read_parquet_names(const std::filesystem::path& path);

/// Appends all rows. `names`: the column of the file for each cell of a row, then the person's column, if
/// any. Every value is written out as text and decoded as text is, so a table means the same in both formats.
/// Errors as for read_table.
void read_parquet_rows(const std::filesystem::path& path, const std::vector<std::string>& names,
                       Table& table);

}  // namespace sotto
