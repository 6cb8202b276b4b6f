// Tables from files, decoded.
#pragma once

#include <filesystem>
#include <span>

#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

/// Decodes the declared columns of a file. A record with another number of cells than the header, or beyond the limits
/// of csv_reader.hpp, contributes nothing. Errors: configuration (schema); those of read_records.
[[nodiscard]] Table read_table(const std::filesystem::path& path, const Schema& schema);

/// The same of a table wherever it is.
[[nodiscard]] Table read_table(const RecordReader& read, const Schema& schema);

/// Of several owners, by whatever name: its rows would count twice. Files that are not there are the reader's to refuse.
/// Errors: configuration.
void refuse_one_table_of_two_owners(std::span<const std::filesystem::path> files);

}  // namespace sotto
