#include "sotto_io/table_check.hpp"

#include "sotto/data/table.hpp"

namespace sotto {

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
    for (std::size_t j = 0; j < declared; ++j) {
      const CellReading reading = read_cell(schema.columns[j], record.cells[j].value_or("")).reading;
      ++check.columns[j].cells[static_cast<std::size_t>(reading)];
    }
    table.append(record.cells.first(declared), schema.unit.is_row() ? std::nullopt : record.cells.back());
  });
  for (std::size_t row = 0; row < table.rows(); ++row) check.used += table.kept(row) ? 1 : 0;
  return check;
}

nlohmann::ordered_json to_json(const TableCheck& check) {
  nlohmann::ordered_json json{{"private", false},         {"warning", kCheckIsNotPrivate},
                              {"records", check.records}, {"not_of_the_headers_form", check.not_whole},
                              {"rows_used", check.used},  {"columns", nlohmann::ordered_json::array()}};
  for (const ColumnCheck& column : check.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"values", column.count(CellReading::value)},
                               {"clamped", column.count(CellReading::clamped)},
                               {"missing", column.count(CellReading::missing)},
                               {"out_of_range", column.count(CellReading::out_of_range)},
                               {"undecodable", column.count(CellReading::undecodable)}});
  }
  return json;
}

}  // namespace sotto
