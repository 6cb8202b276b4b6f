#include "sotto/run/config_override.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

/// Parts of a key, which dots set apart; in quotes a part may hold dots and equals signs. `end`: where the key ends.
std::vector<std::string> parts_of_key(const std::string& assignment, std::size_t& end) {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (end = 0; end < assignment.size(); ++end) {
    const char c = assignment[end];
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? static_cast<char>(0) : c;
    } else if (quote == 0 && c == '=') {
      break;
    } else if (quote == 0 && c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool means_the_same(const std::string& one, const std::string& other) {
  return one == other || (number_of(one) && number_of(one) == number_of(other));
}

}  // namespace

void apply_override(toml::table& root, const std::string& assignment) {
  std::size_t equals = 0;
  std::vector<std::string> parts = parts_of_key(assignment, equals);
  if (equals == assignment.size() || equals == 0) {
    throw Error(ErrorCode::usage,
                fmt::format("--set wants KEY=VALUE, as in privacy.epsilon=2, not '{}'", assignment));
  }
  const std::string key = std::move(parts.back());
  parts.pop_back();
  const std::string value = assignment.substr(equals + 1);
  toml::table parsed;
  try {
    parsed = toml::parse("value = " + value);
  } catch (const toml::parse_error&) {
    if (const auto number = number_of(value))
      parsed.insert("value", *number);  // .5 is no number of TOML, and one of everybody's
    else
      parsed.insert("value", value);
  }
  toml::table* table = &root;
  for (const std::string& part : parts) {
    if (table->get(part) == nullptr) table->insert(part, toml::table{});
    table = table->get(part)->as_table();
    if (table == nullptr) refuse(fmt::format("{} is not a table, so --set {} cannot work", part, assignment));
  }
  table->insert_or_assign(key, *parsed.get("value"));
}

void refuse_said_twice(const std::vector<std::string>& overrides) {
  std::map<std::string, std::string> said;
  for (const std::string& assignment : overrides) {
    std::size_t equals = 0;
    const std::string key = fmt::format("{}", fmt::join(parts_of_key(assignment, equals), "."));
    const std::string value = assignment.substr(std::min(equals + 1, assignment.size()));
    const auto [before, is_new] = said.emplace(key, value);
    if (!is_new && !means_the_same(before->second, value))
      refuse(fmt::format("{} is given twice, as {} and as {}: give it once", key, before->second, value));
    const auto within = said.lower_bound(key + ".");
    if (within != said.end() && within->first.starts_with(key + "."))
      refuse(fmt::format("{} = {} would undo {}, which is given too: put both into one", key, value,
                         within->first));
  }
}

}  // namespace sotto
