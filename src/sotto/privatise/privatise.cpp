#include "sotto/privatise/privatise.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/data/decode.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

std::vector<double> decode_numbers(const ColumnSettings& settings, std::span<const std::string> cells) {
  const double missing = missing_value(settings);
  std::vector<double> numbers;
  numbers.reserve(cells.size());
  for (const std::string& cell : cells) numbers.push_back(decode_number(cell, missing));
  return numbers;
}

/// Which of the categories a cell names, blanks at both ends aside; the first where it names none.
int category_of(const ColumnSettings& settings, const std::string& cell) {
  const auto same = [text = trim(cell)](const std::string& level) { return trim(level) == text; };
  const auto found = std::find_if(settings.levels.begin(), settings.levels.end(), same);
  return found == settings.levels.end() ? 0 : static_cast<int>(found - settings.levels.begin());
}

std::vector<int> decode_categories(const ColumnSettings& settings, std::span<const std::string> cells) {
  std::vector<int> categories;
  categories.reserve(cells.size());
  for (const std::string& cell : cells) categories.push_back(category_of(settings, cell));
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
  // A number too large for a double has no value here and counts as missing, like text.
  return parse_number(trim(cell)).value_or(missing);
}

PrivatisedColumn Privatiser::privatise(const Column& column, std::span<const std::string> cells) {
  return std::visit(
      [&]<class Channel>(const Channel& channel) {
        using Datum = typename Channel::Datum;
        ExactNoise noise(entropy_);
        const std::vector<Datum> data = decode<Datum>(column.settings, cells);
        PrivatisedColumn result;
        if constexpr (GlobalChannel<Channel, Datum>) {
          result.values = channel.release(std::span<const Datum>(data), noise);
        } else {
          result.width = channel.stored_names(column.settings.name).size();
          result.values.reserve(data.size() * result.width);
          for (const Datum y : data) append(result.values, channel.release(y, noise));
        }
        return result;
      },
      column.channel);
}

// One permutation for all columns, so that the values of a row stay together; a global release has no rows.
void Privatiser::shuffle(std::vector<PrivatisedColumn>& columns) {
  if (channel_row(plan_.columns[0].settings.channel).global) return;
  const std::size_t rows = columns[0].values.size() / columns[0].width;
  for (std::size_t i = rows; i > 1; --i) {
    const auto j = static_cast<std::size_t>(uniform_below<std::uint64_t>(i, entropy_));
    for (PrivatisedColumn& column : columns) {
      const auto row = [&](std::size_t r) {
        return column.values.begin() + static_cast<std::ptrdiff_t>(r * column.width);
      };
      if (j != i - 1) std::swap_ranges(row(i - 1), row(i), row(j));
    }
  }
}

Released<std::vector<PrivatisedColumn>> Privatiser::release(std::span<const std::vector<std::string>> cells,
                                                            RowOrder order) {
  if (spent_) throw Error(ErrorCode::budget, "this plan's budget is spent: make a new plan to release again");
  if (cells.size() != plan_.columns.size()) throw Error(ErrorCode::internal, "the plan is for other columns");
  if (std::ranges::any_of(cells, [&](const auto& column) { return column.size() != cells[0].size(); }))
    throw Error(ErrorCode::data, "columns of one table have as many cells each");
  spent_ = true;  // before any noise is drawn, and never undone
  std::vector<PrivatisedColumn> columns;
  for (std::size_t c = 0; c < cells.size(); ++c) columns.push_back(privatise(plan_.columns[c], cells[c]));
  if (order == RowOrder::shuffled) shuffle(columns);
  return Released<std::vector<PrivatisedColumn>>(std::move(columns));
}

}  // namespace sotto
