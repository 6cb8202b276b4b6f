#include "sotto_io/density_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/privatise/privatise.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/density_directory.hpp"
#include "sotto_io/privatised_file.hpp"

namespace sotto {
namespace {

std::vector<Column> find_columns(const ChannelFile& file, const std::vector<std::string>& names) {
  if (names.empty() && file.columns.size() == 1) return file.columns;
  if (names.empty())
    throw Error(ErrorCode::usage,
                "the release has several columns: name one, or those of a joint estimate (--column)");
  std::vector<Column> found;
  for (const std::string& name : names) {
    const auto at = std::find_if(file.columns.begin(), file.columns.end(),
                                 [&](const Column& column) { return column.settings.name == name; });
    if (at == file.columns.end())
      throw Error(ErrorCode::usage, fmt::format("the channel description has no column '{}'", name));
    found.push_back(*at);
  }
  return found;
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
  DensityReport report;
  report.settings = settings;
  report.channels = {"none"};
  report.levels = {{}};
  report.rows = data.size();
  report.result = estimate_density_not_private(column, std::move(data), settings, progress);
  report.diagnostics = summarise(report.result.draws);
  return report;
}

void compare_partitions(DensityReport& report, const std::filesystem::path& directory) {
  const Partition other = read_partition(directory);
  if (!report.result.by_vi || report.result.by_vi->allocation.size() != other.labels.size())
    throw Error(ErrorCode::data, fmt::format("the partition in '{}' is of other rows", directory.string()));
  report.agreement = mixture::adjusted_rand_index(report.result.by_vi->allocation, other.labels);
  report.agreement_is_private = other.is_private;
}

}  // namespace sotto
