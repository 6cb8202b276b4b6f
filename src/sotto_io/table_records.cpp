#include "sotto_io/table_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto_io/csv_reader.hpp"
#include "sotto_io/parquet_file.hpp"

namespace sotto {
namespace {

enum class FileKind { comma, tab, parquet };

FileKind kind_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ErrorCode::no_input, fmt::format("{} is a directory, not a table", path.string()));
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    throw Error(ErrorCode::no_input, fmt::format("there is no file {}", path.string()));
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension.empty() || extension == ".csv" || extension == ".txt") return FileKind::comma;
  if (extension == ".tsv") return FileKind::tab;
  if (extension == ".parquet" || extension == ".pq") return FileKind::parquet;
  throw Error(
      ErrorCode::data,
      fmt::format("{}: the name must end in .csv, .tsv or .parquet, to tell the format", path.string()));
}

char delimiter_of(FileKind kind) { return kind == FileKind::tab ? '\t' : ','; }

/// Errors: data where the header is one name with semicolons or tabs: they are the delimiters then.
void check_delimiter(const std::filesystem::path& path, const std::vector<std::string>& names) {
  const std::size_t found = names.size() == 1 ? names[0].find_first_of(";\t") : std::string::npos;
  if (found == std::string::npos) return;
  throw Error(ErrorCode::data,
              fmt::format("{} has one column, whose name holds {}: separate cells by commas in .csv "
                          "files and by tabs in .tsv files, with points in numbers",
                          path.string(), names[0][found] == ';' ? "semicolons" : "tabs"));
}

}  // namespace

void check_table_file(const std::filesystem::path& path) { static_cast<void>(kind_of(path)); }

std::vector<std::size_t> column_places(const std::string& table, const std::vector<std::string>& present,
                                       const std::vector<std::string>& wanted) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto count = std::count(present.begin(), present.end(), name);
    if (count != 1) {
      throw Error(
          ErrorCode::data,
          fmt::format("{} has {} column {}{}; correct the name that was asked for or the table's header",
                      table, count == 0 ? "no" : "more than one", name,
                      count == 0 ? suggestion(name, present) : ""));
    }
    places.push_back(
        static_cast<std::size_t>(std::find(present.begin(), present.end(), name) - present.begin()));
  }
  return places;
}

std::vector<std::string> read_column_names(const std::filesystem::path& path) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::parquet) return read_parquet_names(path);
  const CsvReader file(path, delimiter_of(kind));
  check_delimiter(path, file.names());
  return file.names();
}

void read_records(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const std::function<void(const TableRecord&)>& visit) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::parquet) {
    static_cast<void>(column_places(path.string(), read_parquet_names(path), names));
    return read_parquet_records(path, names, visit);
  }
  CsvReader file(path, delimiter_of(kind));
  check_delimiter(path, file.names());
  file.select(column_places(path.string(), file.names(), names));
  std::vector<std::optional<std::string_view>> cells(names.size());
  while (file.next()) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = file.whole() ? std::optional(file.cell(i)) : std::nullopt;
    }
    visit({file.whole(), cells});
  }
}

RecordReader records_of(const std::filesystem::path& path) {
  return [path](const std::vector<std::string>& names, const std::function<void(const TableRecord&)>& visit) {
    read_records(path, names, visit);
  };
}

}  // namespace sotto
