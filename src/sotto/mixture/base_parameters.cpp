#include "sotto/mixture/base_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"

namespace sotto::mixture {
namespace {

std::string_view stripped(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

[[noreturn]] void not_a_base(std::string_view part) {
  throw Error(ErrorCode::usage,
              fmt::format("--base: '{}' is no name with its value; write as in 'shape=3, rate=3'", part));
}

}  // namespace

BaseParameters parse_base(std::string_view text) {
  BaseParameters parameters;
  while (!stripped(text).empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view part = stripped(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto sign = part.find('=');
    if (sign == std::string_view::npos) not_a_base(part);
    const std::string_view number = stripped(part.substr(sign + 1));
    double value = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || stop != number.data() + number.size() || !std::isfinite(value))
      not_a_base(part);
    parameters.emplace_back(stripped(part.substr(0, sign)), value);
  }
  return parameters;
}

void set_base(const BaseParameters& asked, std::vector<std::pair<std::string, double*>> numbers) {
  std::vector<std::string> names;
  names.reserve(numbers.size());
  for (const auto& number : numbers) names.push_back(number.first);
  for (const auto& [name, value] : asked) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw Error(ErrorCode::usage, fmt::format("--base: this kernel has no '{}'{}; use {}", name,
                                                suggestion(name, names), fmt::join(names, ", ")));
    double*& to = numbers[static_cast<std::size_t>(at - names.begin())].second;
    if (to == nullptr) throw Error(ErrorCode::usage, fmt::format("--base: '{}' is there twice", name));
    *std::exchange(to, nullptr) = value;
  }
}

}  // namespace sotto::mixture
