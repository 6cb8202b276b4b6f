#include "sotto_io/covariance_file.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "sotto/base/error.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {
namespace {

/// One sentence, whatever its cells hold: a table may have been named by mistake.
[[noreturn]] void no_covariance(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  throw Error(
      ErrorCode::data,
      fmt::format(
          "{} holds no covariance of model.columns: its header must name {}, and nothing else, and as "
          "many rows of numbers follow, in the header's order (R: write.csv(S, row.names = FALSE))",
          file.string(), fmt::join(columns, ", ")));
}

}  // namespace

std::vector<std::vector<double>> read_covariance(const std::filesystem::path& file,
                                                 const std::vector<std::string>& columns) {
  const std::vector<std::string> header = read_column_names(file);
  std::vector<std::size_t> place;  // in the header, of each column
  for (const std::string& column : columns) {
    const auto found = std::ranges::find(header, column);
    if (found == header.end() || header.size() != columns.size()) no_covariance(file, columns);
    place.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  std::vector<std::vector<double>> as_read;
  read_records(file, columns, [&](const TableRecord& record) {
    if (as_read.size() == columns.size()) no_covariance(file, columns);
    std::vector<double>& row = as_read.emplace_back(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::string_view cell = record.cells[j].value_or("");
      const auto [end, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), row[j]);
      if (fault != std::errc() || end != cell.data() + cell.size()) no_covariance(file, columns);
    }
  });
  if (as_read.size() != columns.size()) no_covariance(file, columns);
  std::vector<std::vector<double>> ordered;
  ordered.reserve(place.size());
  for (const std::size_t row : place) ordered.push_back(as_read[row]);
  return ordered;
}

FitConfig parse_fit_config_in(const std::filesystem::path& folder, std::string_view toml,
                              const std::vector<std::string>& overrides) {
  FitConfig config = parse_fit_config(toml, overrides);
  if (config.model.covariance_file.empty()) return config;
  const std::filesystem::path file = folder / config.model.covariance_file;
  std::vector<std::string> rows;
  for (const std::vector<double>& row : read_covariance(file, config.model.columns))
    rows.push_back(fmt::format("[{:.17g}]", fmt::join(row, ", ")));
  std::vector<std::string> with_matrix = overrides;
  with_matrix.push_back(fmt::format("model.covariance=[{}]", fmt::join(rows, ", ")));
  return parse_fit_config(toml, with_matrix);
}

}  // namespace sotto
