// What release-once says of its own answer, in words, with columns by their names.
#pragma once

#include <string>
#include <vector>

#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_facts.hpp"

namespace sotto {

/// One sentence for each thing that is wrong, however many columns it is wrong with; what was allowed for comes last, as notes.
/// `coordinates`: names of the design's columns.
[[nodiscard]] std::vector<std::string> once_warnings(const OnceVerdict& verdict, const OnceFacts& facts,
                                                     const std::vector<std::string>& coordinates);

}  // namespace sotto
