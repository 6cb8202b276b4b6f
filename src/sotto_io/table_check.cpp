#include "sotto_io/table_check.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sotto/data/table.hpp"

namespace sotto {
namespace {

/// Three numbers with two equal signs between them, whatever follows: 2020-03-01T12:00 too.
bool begins_as_date(std::string_view cell) {
  const std::string_view text = trim(cell);
  std::array<std::size_t, 3> digits{};
  std::size_t part = 0;
  char between = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      ++digits[part];
    } else if (part < 2 && digits[part] > 0 &&
               (between == 0 ? c == '-' || c == '/' || c == '.' : c == between)) {
      between = c;
      ++part;
    } else {
      break;
    }
  }
  return std::ranges::all_of(digits, [](std::size_t count) { return count >= 1 && count <= 4; });
}

}  // namespace

TableCheck check_table(const RecordReader& read, const Schema& schema) {
  Table table(schema);
  TableCheck check;
  std::vector<std::string> wanted;
  for (const SchemaColumn& column : schema.columns) {
    wanted.push_back(column.name);
    check.columns.push_back({column.name, column.kind, {}});
  }
  const std::size_t declared = wanted.size();
  if (!schema.unit.is_row()) wanted.push_back(schema.unit.person);
  read(wanted, [&](const TableRecord& record) {
    ++check.records;
    if (!record.whole) {
      ++check.not_whole;
      return;
    }
    const bool nobody = !schema.unit.is_row() && is_missing(trim(record.cells.back().value_or("")));
    if (nobody) ++check.nobodys;
    bool complete = !schema.unit.is_row() && !nobody;
    for (std::size_t j = 0; j < declared; ++j) {
      const std::string_view cell = record.cells[j].value_or("");
      const CellReading reading = read_cell(schema.columns[j], cell).reading;
      if (reading == CellReading::undecodable && begins_as_date(cell)) ++check.columns[j].dates;
      ++check.columns[j].cells[static_cast<std::size_t>(reading)];
      complete = complete && (reading == CellReading::value || reading == CellReading::clamped ||
                              schema.columns[j].missing == MissingPolicy::impute);
    }
    table.append(record.cells.first(declared), schema.unit.is_row() ? std::nullopt : record.cells.back());
    if (complete && !table.kept(table.rows() - 1)) ++check.cut;
  });
  for (std::size_t row = 0; row < table.rows(); ++row) check.used += table.kept(row) ? 1 : 0;
  return check;
}

nlohmann::ordered_json to_json(const TableCheck& check) {
  nlohmann::ordered_json json{{"private", false},
                              {"warning", kCheckIsNotPrivate},
                              {"records", check.records},
                              {"not_of_the_headers_form", check.not_whole},
                              {"rows_used", check.used},
                              {"rows_beyond_maximum_rows", check.cut},
                              {"rows_without_person", check.nobodys},
                              {"columns", nlohmann::ordered_json::array()}};
  for (const ColumnCheck& column : check.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"values", column.count(CellReading::value)},
                               {"clamped", column.count(CellReading::clamped)},
                               {"missing", column.count(CellReading::missing)},
                               {"out_of_range", column.count(CellReading::out_of_range)},
                               {"undecodable", column.count(CellReading::undecodable)},
                               {"dates", column.dates}});
  }
  return json;
}

}  // namespace sotto
