#include "sotto_io/csv_cells.hpp"

#include <arrow/util/utf8.h>

namespace sotto {

std::vector<std::vector<std::string>> read_cells(const RecordReader& records,
                                                 const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> cells(names.size());
  records(names, [&](const TableRecord& record) {
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c].emplace_back(record.cells[c].value_or(""));
  });
  return cells;
}

std::vector<std::vector<std::string>> read_csv_cells(const std::filesystem::path& path,
                                                     const std::vector<std::string>& names) {
  return read_cells(records_of(path), names);
}

bool is_utf8(std::string_view text) {
  arrow::util::InitializeUTF8();
  return arrow::util::ValidateUTF8(text);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\t\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace sotto
