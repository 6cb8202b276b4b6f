// An option whose value is one of a few words.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "sotto/base/suggestion.hpp"

namespace sotto::cli {

/// What is wrong with a word that is none of these; empty where it is one.
[[nodiscard]] inline std::string none_of(const std::string& given, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), given) != words.end()) return {};
  return fmt::format("{} is none of {}{}", given, fmt::join(words, ", "), suggestion(given, words));
}

/// As help shows them, and shells' completions read them there.
[[nodiscard]] inline std::string in_braces(const std::vector<std::string>& words) {
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

[[nodiscard]] inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](const std::string& given) { return none_of(given, words); }, in_braces(words), "one_of"};
}

}  // namespace sotto::cli
