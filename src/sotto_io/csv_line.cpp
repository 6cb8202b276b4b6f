#include "sotto_io/csv_line.hpp"

namespace sotto {

bool split_csv_line(std::string_view line, char delimiter, std::vector<std::string>& fields) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  fields.clear();
  fields.emplace_back();
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (quoted && c == '"') {
      quoted = false;
    } else if (!quoted && c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (!quoted && c == delimiter) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return !quoted;
}

}  // namespace sotto
