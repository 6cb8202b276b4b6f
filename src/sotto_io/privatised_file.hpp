// Privatised columns on disk.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sotto/release/released.hpp"
#include "sotto_io/channel_file.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

/// Each column under the names of its channel's `stored_names`, after its labels where the channel has them. Parquet where the name ends in
/// .parquet, else CSV.
void write_privatised(const std::filesystem::path& path, const ChannelFile& file,
                      const Released<std::vector<PrivatisedColumn>>& columns);

/// Columns back, in one pass. Errors: no_input; data when the table is not of this channel: other names, another number
/// of records, cells that are no numbers, values the channel cannot release, other values than the description's. Values of
/// released files are public, so errors may be precise.
[[nodiscard]] std::vector<PrivatisedColumn> read_privatised(const RecordReader& records,
                                                            const ChannelFile& file,
                                                            std::span<const Column> columns);
/// One of them, of a file.
[[nodiscard]] PrivatisedColumn read_privatised(const std::filesystem::path& path, const ChannelFile& file,
                                               const Column& column);

}  // namespace sotto
