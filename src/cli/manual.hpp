// The manual page, made of the words that the program declares.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sotto::cli {

/// sotto(1), as groff's man macros read it.
[[nodiscard]] std::string manual_page(const CLI::App& program);

}  // namespace sotto::cli
