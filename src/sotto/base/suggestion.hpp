// What a user probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sotto {

/// " (did you mean NAME?)" with the known name that takes the fewest changed, left out, added or swapped letters, where they
/// are at most a third of the word's, or that begins with it; else nothing.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace sotto
