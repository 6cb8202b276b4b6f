#include "sotto/data/decode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace sotto {

namespace {

std::optional<double> parse_truth(std::string_view text) {
  std::string word(text.substr(0, 6));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "true" || word == "yes" || word == "t" || word == "y") return 1;
  if (word == "false" || word == "no" || word == "f" || word == "n") return 0;
  return parse_number(text);
}

std::optional<double> parse_level(const SchemaColumn& column, std::string_view text) {
  const auto found = std::find(column.levels.begin(), column.levels.end(), text);
  if (found == column.levels.end()) return std::nullopt;
  return static_cast<double>(found - column.levels.begin());
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;  // from_chars knows no locale
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || std::isnan(value)) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_missing(std::string_view trimmed) {
  constexpr std::array<std::string_view, 17> words = {"",     "NA",  "NaN",  "nan",  "-NaN", "-nan",
                                                      "NAN",  "N/A", "n/a",  "null", "NULL", "Null",
                                                      "None", "NaT", "<NA>", "#N/A", "."};
  return std::find(words.begin(), words.end(), trimmed) != words.end();
}

DecodedCell read_cell(const SchemaColumn& column, std::string_view cell) {
  const std::string_view text = trim(cell);
  // A declared level may be spelled like a missing value ("None").
  if (column.kind == ColumnKind::category) {
    if (const auto level = parse_level(column, text)) return {CellReading::value, *level};
  }
  if (is_missing(text)) return {CellReading::missing};
  if (column.kind == ColumnKind::category) return {CellReading::undecodable};
  const std::optional<double> number =
      column.kind == ColumnKind::binary ? parse_truth(text) : parse_number(text);
  if (!number) return {CellReading::undecodable};
  const auto [lower, upper] = column.range();
  const bool inside = lower <= *number && *number <= upper;
  // 2 may be the yes, or the no: nobody can tell.
  if (column.kind == ColumnKind::binary && !inside) return {CellReading::undecodable};
  if (!inside && column.out_of_range == OutOfRangePolicy::missing) return {CellReading::out_of_range};
  const double value = std::clamp(*number, lower, upper);
  if (column.kind != ColumnKind::real && value != std::floor(value)) return {CellReading::undecodable};
  return {inside ? CellReading::value : CellReading::clamped, value};
}

std::optional<double> decode_cell(const SchemaColumn& column, std::string_view cell) {
  const DecodedCell decoded = read_cell(column, cell);
  const bool is_value = decoded.reading == CellReading::value || decoded.reading == CellReading::clamped;
  return is_value ? std::optional(decoded.value) : std::nullopt;
}

}  // namespace sotto
