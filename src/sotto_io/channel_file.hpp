// The public description of privatised columns on disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sotto/channel/column.hpp"

namespace sotto {

/// What z.csv.channel.toml says. All of it is public.
struct ChannelFile {
  std::vector<Column> columns;
  Guarantee total;
  std::size_t rows = 0;
  std::string noise_source;
  bool is_private = false;
  std::map<std::string, std::string>
      fingerprints{};                ///< of the released values, by column; empty where not known
  bool shuffled = false;             ///< rows do not stand where the table had them, as far as is known
  std::vector<Guarantee> earlier{};  ///< of releases that stood under this name before, and stay spent
};

/// What a row has spent that was in this release and in all earlier ones of its name: epsilon, delta and rho each add up.
[[nodiscard]] Guarantee with_earlier(const ChannelFile& file);

/// What became of cells that hold no legal value, if there were any, in a sentence that is the same whether there were.
[[nodiscard]] std::string illegal_cells(const Column& column);

/// A guarantee as people are told of it, never less than it is: "epsilon 1, delta 1e-06" or "rho 0.5 (zero-concentrated)".
[[nodiscard]] std::string in_words(const Guarantee& promised);

/// Where the description of a released file stands, unless it was moved: FILE.channel.toml.
[[nodiscard]] std::filesystem::path channel_file_beside(std::filesystem::path released);

/// Whether a file that stands there was released by `privatize`, or describes one that was.
[[nodiscard]] bool is_of_release(const std::filesystem::path& file);

[[nodiscard]] std::string channel_file_text(const ChannelFile& file);
void write_channel_file(const std::filesystem::path& path, const ChannelFile& file);
/// Errors: no_input, data (not a channel file, or its noise does not fit its guarantee).
[[nodiscard]] ChannelFile read_channel_file(const std::filesystem::path& path);

/// Column declarations for many columns at once: [[column]] tables with the names of ColumnSettings.
[[nodiscard]] std::vector<ColumnSettings> read_column_settings(const std::filesystem::path& path);
/// The same of a file's text. Errors: configuration.
[[nodiscard]] std::vector<ColumnSettings> parse_column_settings(const std::string& toml);

}  // namespace sotto
