#include "sotto/mixture/fit/quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

[[noreturn]] void not_a_quantity(const std::string& text, const std::string& why) {
  throw Error(
      ErrorCode::usage,
      fmt::format("'{}' is no quantity: {}; ask as in 'P(x > 30)', 'P(20 < x < 40)', 'q(0.9)' or 'mean'",
                  text, why));
}

[[noreturn]] void not_of_categories(const std::string& text, const std::string& why,
                                    const ColumnSettings& column) {
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no quantity of categories: {}; ask as in 'P(x = {})', of {}", text, why,
                          column.levels.front(), fmt::join(column.levels, ", ")));
}

double number_in(const std::string& text, const std::string& number) {
  double value = 0;
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value))
    not_a_quantity(text, fmt::format("'{}' is no number", number));
  return value;
}

std::size_t column_in(const std::string& text, const std::string& name,
                      std::span<const ColumnSettings> columns) {
  for (std::size_t d = 0; d < columns.size(); ++d)
    if (columns[d].name == name) return d;
  if (columns.size() == 1 && (name == "x" || name.empty())) return 0;
  if (name == "x" || name.empty())
    not_a_quantity(
        text, fmt::format("of several columns, name one, as in 'P({0} > 30)', 'q({0}, 0.9)' or 'mean({0})'",
                          columns.front().name));
  not_a_quantity(text, fmt::format("no column '{}' is estimated", name));
}

Quantity::Kind kind_of(const std::string& sign) {
  if (sign == "<") return Quantity::Kind::below;
  if (sign == "<=") return Quantity::Kind::at_most;
  if (sign == ">") return Quantity::Kind::above;
  if (sign == ">=") return Quantity::Kind::at_least;
  return Quantity::Kind::equal;
}

double declared(const std::string& text, const std::string& number, const ColumnSettings& column) {
  const double value = number_in(text, number);
  if (value < column.lower || value > column.upper)
    not_a_quantity(text, fmt::format("values are declared to lie between {:.12g} and {:.12g}", column.lower,
                                     column.upper));
  return value;
}

Quantity probability(const std::string& text, const std::smatch& part,
                     std::span<const ColumnSettings> columns, Scale scale) {
  Quantity asked{text, column_in(text, part[1], columns), kind_of(part[2]), 0};
  std::string value = part[3];
  const bool equal = asked.kind == Quantity::Kind::equal;
  if (scale == Scale::categories) {
    if (!equal) not_of_categories(text, "they have no order", columns[asked.column]);
    if (value.size() > 1 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    const std::vector<std::string>& levels = columns[asked.column].levels;
    const auto found = std::find(levels.begin(), levels.end(), value);
    if (found == levels.end())
      not_of_categories(text, fmt::format("'{}' is none of them", value), columns[asked.column]);
    asked.at = static_cast<double>(found - levels.begin());
    return asked;
  }
  if (equal && scale == Scale::density)
    not_a_quantity(
        text,
        "a single value of a density has probability 0 (of whole numbers take --kernel rounded-normal or "
        "poisson, which know it)");
  asked.at = declared(text, value, columns[asked.column]);
  if (equal && asked.at != std::floor(asked.at)) not_a_quantity(text, "counts are whole numbers");
  return asked;
}

Quantity interval(const std::string& text, const std::smatch& part, std::span<const ColumnSettings> columns,
                  Scale scale) {
  if (scale == Scale::categories)
    not_of_categories(text, "they have no order", columns[column_in(text, part[3], columns)]);
  Quantity asked{text, column_in(text, part[3], columns), kind_of(part[4]), 0};
  asked.beyond = part[2] == "<" ? Quantity::Kind::at_most : Quantity::Kind::below;
  asked.from = declared(text, part[1], columns[asked.column]);
  asked.at = declared(text, part[5], columns[asked.column]);
  if (!(asked.from < asked.at)) not_a_quantity(text, "the lower end stands first");
  return asked;
}

Quantity parsed(const std::string& text, std::span<const ColumnSettings> columns, Scale scale) {
  // A name may hold anything but a comma or a sign of comparison.
  static const std::regex of_probability(R"(\s*P\(\s*([^<>=,]*?)\s*(<=|>=|<|>|==|=)\s*(.*?)\s*\)\s*)");
  static const std::regex of_interval(
      R"(\s*P\(\s*([^<>=,\s]+)\s*(<=|<)\s*([^<>=,]*?)\s*(<=|<)\s*([^<>=,\s]+)\s*\)\s*)");
  static const std::regex of_quantile(R"(\s*q\(\s*(?:([^<>=,]*?)\s*,)?\s*([^,]*?)\s*\)\s*)");
  static const std::regex of_mean(R"(\s*mean\s*(?:\(\s*([^<>=,]*?)\s*\))?\s*)");
  std::smatch part;
  if (std::regex_match(text, part, of_interval)) return interval(text, part, columns, scale);
  if (std::regex_match(text, part, of_probability)) return probability(text, part, columns, scale);
  const bool quantile = std::regex_match(text, part, of_quantile);
  if (!quantile && !std::regex_match(text, part, of_mean))
    not_a_quantity(text, text == "median" ? "the median is q(0.5)" : "it cannot be read");
  if (scale == Scale::categories)
    not_of_categories(text, "they have no order and no mean", columns[column_in(text, part[1], columns)]);
  Quantity asked{text, column_in(text, part[1], columns),
                 quantile ? Quantity::Kind::quantile : Quantity::Kind::mean, 0};
  if (!quantile) return asked;
  asked.at = number_in(text, part[2]);
  if (!(asked.at > 0 && asked.at < 1)) not_a_quantity(text, "a quantile is of a probability in (0, 1)");
  return asked;
}

}  // namespace

std::vector<Quantity> parse_quantities(std::span<const std::string> texts,
                                       std::span<const ColumnSettings> columns, Scale scale) {
  std::vector<Quantity> all;
  for (const std::string& text : texts) all.push_back(parsed(text, columns, scale));
  return all;
}

}  // namespace sotto
