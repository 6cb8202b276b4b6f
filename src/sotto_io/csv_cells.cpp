#include "sotto_io/csv_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::no_input, fmt::format("cannot open '{}' for reading", path.string()));
  }
  return file;
}

// One record, which may span lines inside quotes; false at the end of the file.
bool next_record(std::istreambuf_iterator<char>& at, std::vector<std::string>& fields) {
  const std::istreambuf_iterator<char> end;
  fields.clear();
  if (at == end) return false;
  fields.emplace_back();
  bool quoted = false;
  while (at != end) {
    const char c = *at++;
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (at != end && *at == '"') {
        fields.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else {
      fields.back() += c;
    }
  }
  if (!fields.back().empty() && fields.back().back() == '\r') fields.back().pop_back();
  return true;
}

std::vector<std::string> header(std::istreambuf_iterator<char>& at, const std::filesystem::path& path) {
  std::vector<std::string> names;
  if (!next_record(at, names) || (names.size() == 1 && names[0].empty())) {
    throw Error(ErrorCode::data,
                fmt::format("'{}' is empty: a first line with column names is needed", path.string()));
  }
  if (names[0].starts_with("\xef\xbb\xbf")) names[0].erase(0, 3);
  return names;
}

}  // namespace

std::vector<std::string> read_csv_header(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  std::istreambuf_iterator<char> at(file);
  return header(at, path);
}

std::vector<std::vector<std::string>> read_csv_cells(const std::filesystem::path& path,
                                                     const std::vector<std::string>& names) {
  std::ifstream file = open(path);
  std::istreambuf_iterator<char> at(file);
  const std::vector<std::string> present = header(at, path);
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
  while (next_record(at, fields)) {
    if (present.size() > 1 && fields.size() == 1 && fields[0].empty()) continue;  // a blank line
    for (std::size_t c = 0; c < names.size(); ++c) {
      cells[c].push_back(positions[c] < fields.size() ? fields[positions[c]] : std::string());
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
