#include "sotto/privatise/privatise.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sotto/privatise/samplers.hpp"

namespace sotto {
namespace {

std::vector<double> decode_numbers(const ColumnSettings& settings, std::span<const std::string> cells) {
  const double missing = missing_value(settings);
  std::vector<double> numbers;
  numbers.reserve(cells.size());
  for (const std::string& cell : cells) numbers.push_back(decode_number(cell, missing));
  return numbers;
}

std::vector<int> decode_categories(const ColumnSettings& settings, std::span<const std::string> cells) {
  std::vector<int> categories;
  categories.reserve(cells.size());
  for (const std::string& cell : cells) {
    const auto found = std::find(settings.levels.begin(), settings.levels.end(), cell);
    categories.push_back(found == settings.levels.end() ? 0 : static_cast<int>(found - settings.levels.begin()));
  }
  return categories;
}

template <class Datum>
std::vector<Datum> decode(const ColumnSettings& settings, std::span<const std::string> cells) {
  if constexpr (std::same_as<Datum, int>) {
    return decode_categories(settings, cells);
  } else {
    return decode_numbers(settings, cells);
  }
}

void append(std::vector<double>& values, double z) { values.push_back(z); }
void append(std::vector<double>& values, const std::vector<double>& z) {
  values.insert(values.end(), z.begin(), z.end());
}

}  // namespace

double decode_number(const std::string& cell, double missing) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  const char* first = cell.data();
  const char* last = first + cell.size();
  while (first != last && blank(*first)) ++first;
  while (first != last && blank(last[-1])) --last;
  if (first != last && *first == '+') ++first;
  double value = 0;
  const auto [stop, error] = std::from_chars(first, last, value);
  // A number too large for a double has no value here and counts as missing, like text.
  return error != std::errc() || stop != last || std::isnan(value) ? missing : value;
}

PrivatisedColumn Privatiser::privatise(const Column& column, std::span<const std::string> cells) {
  return std::visit(
      [&]<class Channel>(const Channel& channel) {
        using Datum = typename Channel::Datum;
        const Sampler<Channel> sampler(channel);
        const std::vector<Datum> data = decode<Datum>(column.settings, cells);
        PrivatisedColumn result;
        if constexpr (GlobalChannel<Channel, Datum>) {
          result.values = sampler(std::span<const Datum>(data), entropy_);
        } else {
          result.width = channel.stored_names(column.settings.name).size();
          result.values.reserve(data.size() * result.width);
          for (const Datum y : data) append(result.values, sampler(y, entropy_));
        }
        return result;
      },
      column.channel);
}

Released<std::vector<PrivatisedColumn>> Privatiser::release(std::span<const std::vector<std::string>> cells) {
  if (spent_) throw Error(ErrorCode::budget, "this plan's budget is spent: make a new plan to release again");
  if (cells.size() != plan_.columns.size()) throw Error(ErrorCode::internal, "the plan is for other columns");
  spent_ = true;  // before any noise is drawn, and never undone
  std::vector<PrivatisedColumn> columns;
  for (std::size_t c = 0; c < cells.size(); ++c) columns.push_back(privatise(plan_.columns[c], cells[c]));
  return Released<std::vector<PrivatisedColumn>>(std::move(columns));
}

}  // namespace sotto
