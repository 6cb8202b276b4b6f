#include "sotto_io/table_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "sotto/base/error.hpp"

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

void refuse_one_table_of_two_owners(std::span<const std::filesystem::path> files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code missing;
      if (std::filesystem::equivalent(files[i], files[j], missing)) {
        refuse(fmt::format("two owners have the same table, {} and {}: its rows would count twice",
                           files[j].string(), files[i].string()));
      }
    }
  }
}

}  // namespace sotto
