// The table of a published experiment: a file, and the same for people or as JSON.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sotto::cli {

/// Columns in their order; null is an empty cell.
using TableLine = nlohmann::ordered_json;

/// table.csv, flushed line by line so that a long run can be watched; and the same for people, or as JSON at the end.
class PaperTable {
 public:
  /// Errors: cannot_create.
  PaperTable(const std::string& directory, bool json);
  /// Errors: io.
  void add(const TableLine& line);
  void finish(const std::string& experiment) const;

 private:
  std::string path_;
  bool json_;
  std::ofstream file_;
  std::vector<TableLine> lines_;
};

}  // namespace sotto::cli
