#include "sotto_io/density_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sotto/base/suggestion.hpp"
#include "sotto/data/decode.hpp"
#include "sotto/privatise/privatise.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/density_directory.hpp"
#include "sotto_io/privatised_file.hpp"

namespace sotto {
namespace {

std::vector<Column> find_columns(const ChannelFile& file, const std::vector<std::string>& names) {
  if (names.empty() && file.columns.size() == 1) return file.columns;
  std::vector<std::string> all;
  for (const Column& column : file.columns) all.push_back(column.settings.name);
  if (names.empty())
    throw Error(
        ErrorCode::usage,
        fmt::format("the release has several columns, {}: name one, or those of a joint estimate (--column)",
                    fmt::join(all, ", ")));
  std::vector<Column> found;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw Error(ErrorCode::usage, fmt::format("--column: '{}' is there twice", name));
    const auto at = std::find_if(file.columns.begin(), file.columns.end(),
                                 [&](const Column& column) { return column.settings.name == name; });
    if (at == file.columns.end())
      throw Error(ErrorCode::usage,
                  fmt::format("the channel description has no column '{}'{}", name, suggestion(name, all)));
    found.push_back(*at);
  }
  return found;
}

// Numbers in the place of labels, equal where they are.
Partition read_labels(const std::filesystem::path& path) {
  const std::vector<std::string> names = read_column_names(path);
  if (names.size() != 1)
    throw Error(ErrorCode::data, fmt::format("labels to compare with are one column, '{}' has {}",
                                             path.string(), names.size()));
  Partition partition;
  std::map<std::string, int> numbers;
  const std::vector<std::vector<std::string>> cells = read_cells(records_of(path), names);
  for (const std::string& label : cells[0])
    partition.labels.push_back(numbers.emplace(label, static_cast<int>(numbers.size())).first->second);
  return partition;
}

Error of_other_rows(const std::filesystem::path& compared) {
  return {ErrorCode::data, fmt::format("the partition in '{}' is of other rows", compared.string())};
}

}  // namespace

DensityReport density_of_release(const RecordReader& records, ChannelFile channel,
                                 const std::vector<std::string>& names, const DensitySettings& settings,
                                 const SweepProgress& progress) {
  DensityReport report;
  report.settings = settings;
  report.rows = channel.rows;
  const std::vector<Column> columns = find_columns(channel, names);
  for (const Column& column : columns) {
    report.channels.push_back(column.settings.channel);
    report.levels.push_back(column.settings.levels);
  }
  report.result =
      estimate_density(columns, read_privatised(records, channel, columns), report.rows, settings, progress);
  report.diagnostics = summarise(report.result.draws);
  report.channel = std::move(channel);
  return report;
}

DensityReport density_of_confidential(const RecordReader& records, const std::vector<std::string>& columns,
                                      const Interval& bounds, const DensitySettings& settings,
                                      const SweepProgress& progress) {
  if (columns.size() != 1)
    throw Error(ErrorCode::usage, "confidential data are estimated one column at a time: name it (--column)");
  if (!(bounds.lower < bounds.upper))
    throw Error(ErrorCode::configuration, "give the range of confidential data, lower and upper");
  ColumnSettings column;
  column.name = columns[0];
  column.lower = bounds.lower;
  column.upper = bounds.upper;
  std::vector<double> data;
  const std::vector<std::vector<std::string>> cells = read_cells(records, columns);
  for (const std::string& cell : cells[0]) data.push_back(decode_number(cell, missing_value(column)));
  if (data.empty()) throw Error(ErrorCode::data, "the table has no rows");
  if (std::ranges::none_of(cells[0],
                           [](const std::string& cell) { return parse_number(trim(cell)).has_value(); }))
    throw Error(ErrorCode::data, fmt::format("the column '{}' has no numbers", column.name));
  DensityReport report;
  report.settings = settings;
  report.channels = {"none"};
  report.levels = {{}};
  report.rows = data.size();
  report.result = estimate_density_not_private(column, std::move(data), settings, progress);
  report.diagnostics = summarise(report.result.draws);
  return report;
}

std::filesystem::path partition_file(const std::filesystem::path& compared) {
  return std::filesystem::is_regular_file(compared) ? compared : compared / "clusters.json";
}

void check_compared(const ChannelFile& channel, const std::filesystem::path& compared) {
  if (!channel.shuffled) return;
  const bool with_labels = partition_file(compared) == compared;
  if (!with_labels) {
    const Partition other = read_partition(compared);
    if (other.labels.size() != channel.rows) throw of_other_rows(compared);
    if (!other.release.empty() && other.release == release_of(channel)) return;
  }
  throw Error(
      ErrorCode::usage,
      fmt::format("--compare: the rows of this release were shuffled, so that nothing says which {} is "
                  "whose: release them with --keep-order, or compare with the directory of another run "
                  "on this release",
                  with_labels ? "label" : "row of the other run"));
}

void compare_partitions(DensityReport& report, const std::filesystem::path& compared) {
  report.with_labels = partition_file(compared) == compared;
  const Partition other = report.with_labels ? read_labels(compared) : read_partition(compared);
  if (!report.result.by_vi || report.result.by_vi->allocation.size() != other.labels.size())
    throw of_other_rows(compared);
  report.agreement_is_private = other.is_private;
  report.same_rows = report.with_labels || (!other.release.empty() && other.release == release_of(report));
  const auto in_one = [](const auto& labels) {
    return std::ranges::adjacent_find(labels, std::ranges::not_equal_to{}) == labels.end();
  };
  report.nothing_to_compare = in_one(report.result.by_vi->allocation) || in_one(other.labels);
  if (report.nothing_to_compare) return;
  report.agreement = mixture::adjusted_rand_index(report.result.by_vi->allocation, other.labels);
  std::vector<double> of_draws;
  for (const mixture::Allocation& draw : report.result.partitions)
    of_draws.push_back(mixture::adjusted_rand_index(draw, other.labels));
  report.agreement_lower = mixture::quantile_of(of_draws, (1 - report.settings.level) / 2);
  report.agreement_upper = mixture::quantile_of(of_draws, (1 + report.settings.level) / 2);
}

}  // namespace sotto
