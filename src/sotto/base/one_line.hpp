// What somebody else wrote, where a message or a log repeats it.
#pragma once

#include <string>

namespace sotto {

/// Its first `longest` bytes, with a question mark for each that is no printable ASCII: one line, which cannot steer a terminal.
/// Checked by tests/base/one_line_test.cpp: of_anything_is_printable
[[nodiscard]] std::string one_line(std::string text, std::size_t longest = std::string::npos);

}  // namespace sotto
