// Names in a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sotto {

/// "a, b and 3 more": the first `most` names, and how many others there are.
/// Checked by tests/base/first_names_test.cpp: say_how_many_others_there_are
[[nodiscard]] std::string first_names(const std::vector<std::string>& names, std::size_t most = 4);

}  // namespace sotto
