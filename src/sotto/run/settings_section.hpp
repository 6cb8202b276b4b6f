// A table of a configuration: its keys by their types, and none that nobody asked for.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/base/text_fault.hpp"

namespace sotto {

/// Reads keys of one table and refuses those nobody asked for.
class Section {
 public:
  Section(const toml::table& table, std::string name) : table_(&table), name_(std::move(name)) {}

  [[nodiscard]] std::string path(std::string_view key) const {
    return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
  }
  const toml::node* find(std::string_view key) {
    known_.insert(std::string(key));
    return table_->get(key);
  }
  template <class T>
  void read(std::string_view key, T& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if constexpr (std::is_same_v<T, bool>) {
      if (const auto value = node->value_exact<bool>()) return void(target = *value);
      refuse(fmt::format("{} must be true or false", path(key)));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (const auto value = node->value_exact<std::string>()) return void(target = *value);
      refuse(fmt::format("{} must be a string", path(key)));
    } else if constexpr (std::is_integral_v<T>) {
      constexpr double kMost = 0x1p53;
      const auto whole = node->value_exact<std::int64_t>();
      const auto real = node->value_exact<double>();  // 1e3, say
      if (!(whole && *whole >= 0) && !(real && *real >= 0 && *real <= kMost && *real == std::floor(*real)))
        refuse(fmt::format("{} must be a whole number that is not negative", path(key)));
      target = whole ? static_cast<T>(*whole) : static_cast<T>(*real);
    } else {
      const auto value = node->value<double>();
      if (!value || !node->is_number()) refuse(fmt::format("{} must be a number", path(key)));
      target = *value;
    }
  }
  template <class T>
  void read(std::string_view key, std::optional<T>& target) {
    if (find(key) == nullptr) return;
    target.emplace();
    read(key, *target);
  }
  template <class T>
  void read(std::string_view key, std::vector<T>& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr)
      refuse(fmt::format("{} must be a list, as in {}", path(key),
                         std::is_same_v<T, std::string> ? "[\"a\", \"b\"]" : "[1, 2]"));
    target.clear();
    for (const toml::node& entry : *array) {
      const auto value = entry.value<T>();
      if (!value) refuse(fmt::format("{} has an entry of the wrong type", path(key)));
      target.push_back(*value);
    }
  }
  /// A list of lists.
  void read(std::string_view key, std::vector<std::vector<double>>& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto wrong = [&] {
      refuse(fmt::format("{} must be a list of rows, each a list of numbers", path(key)));
    };
    if (node->as_array() == nullptr) wrong();
    target.clear();
    for (const toml::node& row : *node->as_array()) {
      if (row.as_array() == nullptr) wrong();
      target.emplace_back();
      for (const toml::node& entry : *row.as_array()) {
        const auto value = entry.value<double>();
        if (!value || !entry.is_number()) wrong();
        target.back().push_back(*value);
      }
    }
  }
  void section(std::string_view key, const std::function<void(Section&)>& visit) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (node->as_table() == nullptr) refuse(fmt::format("{} must be a table", path(key)));
    Section inner(*node->as_table(), path(key));
    visit(inner);
    inner.finish();
  }
  /// One section after the other.
  void tables(std::string_view key, const std::function<void(Section&)>& visit) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_array_of_tables()) refuse(wants_double_brackets(path(key)));
    for (const toml::node& entry : *node->as_array()) {
      Section inner(*entry.as_table(), path(key));
      visit(inner);
      inner.finish();
    }
  }
  void finish() const {
    for (const auto& [key, value] : *table_) {
      if (!known_.contains(std::string(key.str()))) {
        refuse(fmt::format("unknown setting {}{}; known here are {}", path(key.str()),
                           suggestion(key.str(), std::vector<std::string>(known_.begin(), known_.end())),
                           fmt::join(known_, ", ")));
      }
    }
  }
  [[nodiscard]] const toml::table& table() const { return *table_; }

 private:
  const toml::table* table_;
  std::string name_;
  std::set<std::string> known_;
};

}  // namespace sotto
