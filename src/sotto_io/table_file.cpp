#include "sotto_io/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/data/decode.hpp"
#include "sotto_io/csv_line.hpp"
#include "sotto_io/parquet_file.hpp"

namespace sotto {

namespace {

enum class FileKind { comma, tab, parquet };

FileKind kind_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorCode::no_input, fmt::format("there is no file {}", path.string()));
  }
  const std::string extension = path.extension().string();
  if (extension == ".csv" || extension == ".txt") return FileKind::comma;
  if (extension == ".tsv") return FileKind::tab;
  if (extension == ".parquet" || extension == ".pq") return FileKind::parquet;
  throw Error(
      ErrorCode::data,
      fmt::format("{}: the name must end in .csv, .tsv or .parquet, to tell the format", path.string()));
}

/// A CSV file after its header.
struct CsvFile {
  std::ifstream stream;
  char delimiter;
  std::vector<std::string> names;
};

CsvFile open_csv(const std::filesystem::path& path, FileKind kind) {
  CsvFile file{std::ifstream(path, std::ios::binary), kind == FileKind::tab ? '\t' : ',', {}};
  if (!file.stream)
    throw Error(ErrorCode::no_input, fmt::format("{} cannot be opened for reading", path.string()));
  std::string line;
  std::getline(file.stream, line);
  std::string_view header = line;
  if (header.starts_with("\xef\xbb\xbf")) header.remove_prefix(3);  // byte order mark
  if (trim(header).empty() || !split_csv_line(header, file.delimiter, file.names)) {
    throw Error(ErrorCode::data, fmt::format("{}: the first line must name the columns", path.string()));
  }
  for (std::string& name : file.names) name = trim(name);
  return file;
}

/// Where each wanted column stands in the file.
std::vector<std::size_t> places(const std::filesystem::path& path, const std::vector<std::string>& present,
                                const std::vector<std::string>& wanted) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto count = std::count(present.begin(), present.end(), name);
    if (count != 1) {
      throw Error(ErrorCode::data,
                  fmt::format("{} has {} column {}, which the schema declares; correct the schema or "
                              "the file's header",
                              path.string(), count == 0 ? "no" : "more than one", name));
    }
    places.push_back(
        static_cast<std::size_t>(std::find(present.begin(), present.end(), name) - present.begin()));
  }
  return places;
}

void read_csv_rows(const std::filesystem::path& path, CsvFile file, const std::vector<std::string>& wanted,
                   Table& table) {
  const std::vector<std::size_t> place = places(path, file.names, wanted);
  const std::size_t declared = table.schema().columns.size();
  std::vector<std::optional<std::string_view>> cells(declared);
  std::vector<std::string> fields;
  std::string line;
  while (std::getline(file.stream, line)) {
    if (!split_csv_line(line, file.delimiter, fields) || fields.size() != file.names.size()) {
      table.append_nothing();
      continue;
    }
    for (std::size_t j = 0; j < declared; ++j) cells[j] = fields[place[j]];
    std::optional<std::string_view> person;
    if (place.size() > declared) person = fields[place[declared]];
    table.append(cells, person);
  }
  if (file.stream.bad()) throw Error(ErrorCode::io, fmt::format("reading {} failed", path.string()));
}

}  // namespace

std::vector<std::string> read_column_names(const std::filesystem::path& path) {
  const FileKind kind = kind_of(path);
  return kind == FileKind::parquet ? read_parquet_names(path) : open_csv(path, kind).names;
}

Table read_table(const std::filesystem::path& path, const Schema& schema) {
  Table table(schema);
  std::vector<std::string> wanted;
  for (const SchemaColumn& column : schema.columns) wanted.push_back(column.name);
  if (!schema.unit.is_row()) wanted.push_back(schema.unit.person);
  const FileKind kind = kind_of(path);
  if (kind != FileKind::parquet) {
    read_csv_rows(path, open_csv(path, kind), wanted, table);
  } else {
    (void)places(path, read_parquet_names(path), wanted);
    read_parquet_rows(path, wanted, table);
  }
  return table;
}

}  // namespace sotto
