#include "sotto_io/table_file.hpp"

#include "sotto_io/table_records.hpp"

namespace sotto {

Table read_table(const std::filesystem::path& path, const Schema& schema) {
  Table table(schema);
  std::vector<std::string> wanted;
  for (const SchemaColumn& column : schema.columns) wanted.push_back(column.name);
  const std::size_t declared = wanted.size();
  if (!schema.unit.is_row()) wanted.push_back(schema.unit.person);
  read_records(path, wanted, [&](const TableRecord& record) {
    if (!record.whole) return table.append_nothing();
    table.append(record.cells.first(declared), schema.unit.is_row() ? std::nullopt : record.cells.back());
  });
  return table;
}

}  // namespace sotto
