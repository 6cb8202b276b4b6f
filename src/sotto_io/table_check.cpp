#include "sotto_io/table_check.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "sotto/data/table.hpp"
#include "sotto_io/csv_cells.hpp"

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

/// "3,5" and "1,899.73".
bool is_number_with_commas(std::string_view cell) {
  return cell.find(',') != std::string_view::npos &&
         cell.find_first_not_of("+-0123456789.,") == std::string_view::npos &&
         cell.find_first_of("0123456789") != std::string_view::npos;
}

bool is_level_in_other_case(std::string_view cell, const std::vector<std::string>& levels) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::ranges::any_of(levels,
                             [&](const std::string& level) { return std::ranges::equal(cell, level, same); });
}

void note_undecodable(std::string_view cell, const SchemaColumn& declared, ColumnCheck& column) {
  if (begins_as_date(cell)) {
    ++column.dates;
  } else if (!is_utf8(cell)) {
    ++column.not_utf8;
  } else if (is_level_in_other_case(cell, declared.levels)) {
    ++column.other_case;
  } else if (is_number_with_commas(cell)) {
    ++column.commas;
  }
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
      if (reading == CellReading::undecodable)
        note_undecodable(trim(cell), schema.columns[j], check.columns[j]);
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
                               {"dates", column.dates},
                               {"numbers_with_commas", column.commas},
                               {"levels_in_other_case", column.other_case},
                               {"not_utf8", column.not_utf8}});
  }
  return json;
}

}  // namespace sotto
