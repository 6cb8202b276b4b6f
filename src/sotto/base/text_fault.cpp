#include "sotto/base/text_fault.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {
namespace {

bool has_line(std::string_view text, std::string_view wanted) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line.substr(first).starts_with(wanted)) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace

bool is_utf16(std::string_view text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }

std::string wants_double_brackets(std::string_view name) {
  return fmt::format("head every {0} with [[{0}]], in double brackets, not [{0}]", name);
}

std::string toml_fault(std::string_view text, std::size_t line) {
  if (is_utf16(text)) return kSaveAsUtf8;
  for (const std::string_view name : {"owner", "column"}) {
    if (has_line(text, fmt::format("[{}]", name))) return "is not TOML: " + wants_double_brackets(name);
  }
  return fmt::format(
      "is not TOML in line {}: write KEY = VALUE, text in quotes, and every key and [section] once", line);
}

}  // namespace sotto
