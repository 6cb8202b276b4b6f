#include "sotto_io/privatised_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "sotto_io/atomic_file.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/parquet_file.hpp"
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

/// Columns as they stand in the file: a channel's labels, then its values.
std::vector<StoredColumn> stored_columns(const ChannelFile& file,
                                         const std::vector<PrivatisedColumn>& released) {
  std::vector<StoredColumn> all;
  for (std::size_t c = 0; c < released.size(); ++c) {
    const auto& [values, width] = released[c];
    const std::size_t records = released.at(0).values.size() / released[0].width;
    const ColumnSettings& settings = file.columns[c].settings;
    std::visit(
        [&, &values = values, width = width]<class Channel>(const Channel& channel) {
          if constexpr (has_labels<Channel>) {
            std::size_t k = 0;
            for (const std::string_view label : Channel::kLabels) {
              std::vector<double> labels;
              for (std::size_t record = 0; record < records; ++record)
                labels.push_back(static_cast<double>(channel.label(record)[k]));
              all.push_back({std::string(label), std::move(labels)});
              ++k;
            }
          }
          std::size_t k = 0;
          for (const std::string& name : channel.stored_names(settings.name)) {
            std::vector<double> numbers;
            std::vector<std::string> categories;
            for (std::size_t record = 0; record < records; ++record) {
              const double value = values[record * width + k];
              if constexpr (std::same_as<typename Channel::Datum, int>)
                categories.push_back(settings.levels[static_cast<std::size_t>(value)]);
              else
                numbers.push_back(value);
            }
            if constexpr (std::same_as<typename Channel::Datum, int>)
              all.push_back({name, std::move(categories)});
            else
              all.push_back({name, std::move(numbers)});
            ++k;
          }
        },
        file.columns[c].channel);
  }
  return all;
}

std::string csv_of(std::span<const StoredColumn> columns) {
  std::string text;
  for (const StoredColumn& column : columns) text += csv_field(column.name) + ',';
  text.back() = '\n';
  const std::size_t records = std::visit([](const auto& values) { return values.size(); }, columns[0].values);
  for (std::size_t record = 0; record < records; ++record) {
    for (const StoredColumn& column : columns) {
      if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
        text += fmt::format("{},", (*numbers)[record]);
      else
        text += csv_field(std::get<std::vector<std::string>>(column.values)[record]) + ',';
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace

void write_privatised(const std::filesystem::path& path, const ChannelFile& file,
                      const Released<std::vector<PrivatisedColumn>>& columns) {
  const std::vector<StoredColumn> stored = stored_columns(file, columns.value());
  write_whole_file(path, path.extension() == ".parquet" ? parquet_of(stored) : csv_of(stored));
}

std::vector<PrivatisedColumn> read_privatised(const RecordReader& records, const ChannelFile& file,
                                              std::span<const Column> columns) {
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    const std::vector<std::string> stored = stored_names(column);
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
    if (fingerprint == file.fingerprints.end()) continue;
    if (fingerprint->second == kNoRelease)
      throw Error(
          ErrorCode::data,
          "the channel description is of a release that ended before there were values, so this table "
          "is not it");
    if (fingerprint->second != release_fingerprint(columns[c], result.back()))
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
