#include "sotto_io/privatised_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sotto_io/atomic_file.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/release_fingerprint.hpp"

namespace sotto {
namespace {

Error of_another_channel(const char* what) {
  return {ErrorCode::data, fmt::format("a released value {}: the file belongs to another channel", what)};
}

template <class Channel>
constexpr bool has_labels = requires {
  Channel::kLabels;
};

double read_value(const Column& column, const auto& channel, const std::string& cell) {
  using Channel = std::decay_t<decltype(channel)>;
  if constexpr (std::same_as<typename Channel::Datum, int>) {
    const std::vector<std::string>& levels = column.settings.levels;
    const auto found = std::find(levels.begin(), levels.end(), cell);
    if (found == levels.end())
      throw Error(ErrorCode::data, "a released category is not one of the channel's levels");
    return static_cast<double>(found - levels.begin());
  } else {
    double value = 0;
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || stop != cell.data() + cell.size() || !std::isfinite(value))
      throw Error(ErrorCode::data, "a released column holds a cell that is not a finite number");
    return value;
  }
}

PrivatisedColumn read_column(std::span<const std::vector<std::string>> cells, std::size_t rows,
                             const Column& column, const auto& channel) {
  if (cells[0].size() != channel.records(rows)) {
    throw Error(ErrorCode::data,
                fmt::format("the released table has {} rows where its channel description says {}",
                            cells[0].size(), channel.records(rows)));
  }
  PrivatisedColumn result{{}, cells.size()};
  const Interval possible = channel.reach(rows);
  for (std::size_t record = 0; record < cells[0].size(); ++record) {
    for (const std::vector<std::string>& stored : cells) {
      const double value = read_value(column, channel, stored[record]);
      if (!(value >= possible.lower && value <= possible.upper))
        throw of_another_channel("is farther out than this channel's noise can reach");
      if (!channel.whole_number(value)) throw of_another_channel("is not on the channel's grid");
      result.values.push_back(value);
    }
  }
  return result;
}

}  // namespace

void write_privatised(const std::filesystem::path& path, const ChannelFile& file,
                      const Released<std::vector<PrivatisedColumn>>& columns) {
  const std::vector<PrivatisedColumn>& values = columns.value();
  std::string header;
  std::vector<std::string> lines(values.at(0).values.size() / values[0].width);
  for (std::size_t c = 0; c < values.size(); ++c) {
    const ColumnSettings& settings = file.columns[c].settings;
    const auto write = [&]<class Channel>(const Channel& channel) {
      if constexpr (has_labels<Channel>)
        for (const std::string_view label : Channel::kLabels) header += fmt::format("{},", label);
      for (const std::string& name : channel.stored_names(settings.name)) header += csv_field(name) + ',';
      for (std::size_t record = 0; record < lines.size(); ++record) {
        if constexpr (has_labels<Channel>)
          for (const double label : channel.label(record)) lines[record] += fmt::format("{},", label);
        for (std::size_t k = 0; k < values[c].width; ++k) {
          const double value = values[c].values[record * values[c].width + k];
          if constexpr (std::same_as<typename Channel::Datum, int>) {
            lines[record] += csv_field(settings.levels[static_cast<std::size_t>(value)]) + ',';
          } else {
            lines[record] += fmt::format("{},", value);
          }
        }
      }
    };
    std::visit(write, file.columns[c].channel);
  }
  header.back() = '\n';
  for (std::string& line : lines) {
    line.back() = '\n';
    header += line;
  }
  write_whole_file(path, header);
}

std::vector<PrivatisedColumn> read_privatised(const RecordReader& records, const ChannelFile& file,
                                              std::span<const Column> columns) {
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    const std::vector<std::string> stored = std::visit(
        [&](const auto& channel) { return channel.stored_names(column.settings.name); }, column.channel);
    names.insert(names.end(), stored.begin(), stored.end());
    widths.push_back(stored.size());
  }
  const std::vector<std::vector<std::string>> cells = read_cells(records, names);
  std::vector<PrivatisedColumn> result;
  std::span<const std::vector<std::string>> rest = cells;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    result.push_back(std::visit(
        [&](const auto& channel) {
          return read_column(rest.first(widths[c]), file.rows, columns[c], channel);
        },
        columns[c].channel));
    rest = rest.subspan(widths[c]);
    const auto fingerprint = file.fingerprints.find(columns[c].settings.name);
    if (fingerprint != file.fingerprints.end() &&
        fingerprint->second != release_fingerprint(columns[c], result.back()))
      throw Error(ErrorCode::data,
                  "the values of the released table are not those that the channel description was written "
                  "for");
  }
  return result;
}

PrivatisedColumn read_privatised(const std::filesystem::path& path, const ChannelFile& file,
                                 const Column& column) {
  return read_privatised(records_of(path), file, {&column, 1}).front();
}

}  // namespace sotto
