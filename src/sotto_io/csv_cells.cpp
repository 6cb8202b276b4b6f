#include "sotto_io/csv_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto_io/csv_line.hpp"

namespace sotto {
namespace {

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::no_input, fmt::format("cannot open '{}' for reading", path.string()));
  }
  return file;
}

std::vector<std::string> header(std::istream& file, const std::filesystem::path& path) {
  std::string line;
  std::getline(file, line);
  std::string_view text = line;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  std::vector<std::string> names;
  if (!split_csv_line(text, ',', names) || (names.size() == 1 && names[0].empty())) {
    throw Error(ErrorCode::data,
                fmt::format("'{}' is empty: a first line with column names is needed", path.string()));
  }
  return names;
}

}  // namespace

std::vector<std::string> read_csv_header(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  return header(file, path);
}

std::vector<std::vector<std::string>> read_csv_cells(const std::filesystem::path& path,
                                                     const std::vector<std::string>& names) {
  std::ifstream file = open(path);
  const std::vector<std::string> present = header(file, path);
  std::vector<std::size_t> positions;
  for (const std::string& name : names) {
    const auto found = std::find(present.begin(), present.end(), name);
    if (found == present.end()) {
      throw Error(ErrorCode::data, fmt::format("'{}' has no column '{}'", path.string(), name));
    }
    positions.push_back(found - present.begin());
  }
  std::vector<std::vector<std::string>> cells(names.size());
  std::vector<std::string> fields;
  std::string line;
  while (std::getline(file, line)) {
    // Every line is one record whatever it holds, so no record can hide or swallow another.
    const bool whole = split_csv_line(line, ',', fields);
    for (std::size_t c = 0; c < names.size(); ++c) {
      cells[c].push_back(whole && positions[c] < fields.size() ? fields[positions[c]] : std::string());
    }
  }
  if (file.bad()) throw Error(ErrorCode::io, fmt::format("reading '{}' failed", path.string()));
  return cells;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace sotto
