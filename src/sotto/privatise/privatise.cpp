#include "sotto/privatise/privatise.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sotto {
namespace {

std::vector<double> decode_numbers(const ColumnSettings& settings, std::span<const std::string> cells) {
  const double missing = missing_value(settings);
  std::vector<double> numbers;
  numbers.reserve(cells.size());
  for (const std::string& cell : cells) numbers.push_back(decode_number(cell, missing));
  return numbers;
}

int decode_category(const std::vector<std::string>& levels, const std::string& cell) {
  const auto found = std::find(levels.begin(), levels.end(), cell);
  return found == levels.end() ? 0 : static_cast<int>(found - levels.begin());
}

template <class Channel>
PrivatisedColumn local(const Channel& channel, const ColumnSettings& settings,
                       std::span<const std::string> cells, EntropySource& entropy) {
  PrivatisedColumn column;
  for (const double y : decode_numbers(settings, cells)) column.values.push_back(channel.sample(y, entropy));
  return column;
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
  const ColumnSettings& settings = column.settings;
  if (const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&column.channel)) {
    return local(*laplace, settings, cells, entropy_);
  }
  if (const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&column.channel)) {
    return local(*gaussian, settings, cells, entropy_);
  }
  PrivatisedColumn result;
  if (const auto* haar = std::get_if<HaarChannel>(&column.channel)) {
    result.width = haar->coefficients();
    for (const double y : decode_numbers(settings, cells)) {
      const std::vector<double> z = haar->sample(y, entropy_);
      result.values.insert(result.values.end(), z.begin(), z.end());
    }
  } else if (const auto* response = std::get_if<RandomisedResponseChannel>(&column.channel)) {
    for (const std::string& cell : cells) {
      result.values.push_back(response->sample(decode_category(settings.levels, cell), entropy_));
    }
  } else if (const auto* perturbed = std::get_if<PerturbedHistogramChannel>(&column.channel)) {
    result.values = perturbed->sample(decode_numbers(settings, cells), entropy_);
  } else {
    result.values =
        std::get<SmoothedHistogramChannel>(column.channel).sample(decode_numbers(settings, cells), entropy_);
  }
  return result;
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
