// What is wrong with the text of a file, in words that repeat none of it: it may be a table by mistake.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sotto {

/// What to say after the name of a file that is UTF-16.
inline constexpr const char* kSaveAsUtf8 = "is UTF-16 text: save it as UTF-8";

/// By the byte order mark: the first two bytes.
[[nodiscard]] bool is_utf16(std::string_view text);

/// What to say where tables that may stand several times are headed as one.
[[nodiscard]] std::string wants_double_brackets(std::string_view name);

/// What to say after the name of a file that is not TOML in that line, counted from 1.
[[nodiscard]] std::string toml_fault(std::string_view text, std::size_t line);

}  // namespace sotto
