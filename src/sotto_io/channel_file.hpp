// The public description of privatised columns, and the columns themselves, on disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sotto/channel/column.hpp"
#include "sotto/privatise/privatise.hpp"

namespace sotto {

/// What z.csv.channel.toml says. All of it is public.
struct ChannelFile {
  std::vector<Column> columns;
  Guarantee total;
  std::size_t rows = 0;
  std::string noise_source;
  bool is_private = false;
  std::map<std::string, std::string>
      fingerprints{};  ///< of the released values, by column; empty where not known
};

/// The names under which a column is stored: its own, or one per wavelet coefficient (name.j.k); a perturbed
/// histogram has bin_lower, bin_upper, count.
[[nodiscard]] std::vector<std::string> stored_names(const Column& column);

void write_channel_file(const std::filesystem::path& path, const ChannelFile& file);
/// Errors: no_input, data (not a channel file, or its noise does not fit its guarantee).
[[nodiscard]] ChannelFile read_channel_file(const std::filesystem::path& path);

void write_privatised(const std::filesystem::path& path, const ChannelFile& file,
                      const Released<std::vector<PrivatisedColumn>>& columns);
/// One column back. Errors: no_input; data when the file is not of this channel: other names, another number
/// of rows, cells that are no numbers, values the channel cannot release, other values than the description's. Values of released files are
/// public, so errors may be precise.
[[nodiscard]] PrivatisedColumn read_privatised(const std::filesystem::path& path, const ChannelFile& file,
                                               const Column& column);

/// Column declarations for many columns at once: [[column]] tables with the names of ColumnSettings.
[[nodiscard]] std::vector<ColumnSettings> read_column_settings(const std::filesystem::path& path);

}  // namespace sotto
