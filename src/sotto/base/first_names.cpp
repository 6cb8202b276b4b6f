#include "sotto/base/first_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace sotto {

std::string first_names(const std::vector<std::string>& names, std::size_t most) {
  const std::span<const std::string> first(names.data(), std::min(most, names.size()));
  const std::size_t more = names.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace sotto
