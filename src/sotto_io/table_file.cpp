#include "sotto_io/table_file.hpp"

namespace sotto {

Table read_table(const RecordReader& read, const Schema& schema) {
  Table table(schema);
  std::vector<std::string> wanted;
  for (const SchemaColumn& column : schema.columns) wanted.push_back(column.name);
  const std::size_t declared = wanted.size();
  if (!schema.unit.is_row()) wanted.push_back(schema.unit.person);
  read(wanted, [&](const TableRecord& record) {
    if (!record.whole) return table.append_nothing();
    table.append(record.cells.first(declared), schema.unit.is_row() ? std::nullopt : record.cells.back());
  });
  return table;
}

Table read_table(const std::filesystem::path& path, const Schema& schema) {
  return read_table(records_of(path), schema);
}

}  // namespace sotto
