// Prints the records of CSV files as JSON, one line per file named on standard input: the header, then each record's cells;
// null for a record that contributes nothing, and for a file that is refused.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/base/error.hpp"
#include "sotto_io/table_records.hpp"

namespace {

// Bytes as code points, so that any of them fits JSON.
std::string latin(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

nlohmann::json records(const std::string& path) {
  const std::vector<std::string> names = sotto::read_column_names(path);
  nlohmann::json all = nlohmann::json::array({nlohmann::json::array()});
  for (const std::string& name : names) all[0].push_back(latin(name));
  sotto::read_records(path, names, [&](const sotto::TableRecord& record) {
    nlohmann::json cells = nlohmann::json::array();
    for (const auto& cell : record.cells) cells.push_back(latin(cell.value_or("")));
    all.push_back(record.whole ? std::move(cells) : nlohmann::json());
  });
  return all;
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    nlohmann::json line;
    try {
      line = records(path);
    } catch (const sotto::Error&) {
      line = nullptr;
    }
    std::cout << line.dump() << '\n';
  }
}
