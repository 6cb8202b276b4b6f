// What a shell needs to complete the program's words, made of the words that the program declares.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sotto::cli {

/// The shells that there is a completion for.
[[nodiscard]] const std::vector<std::string>& shells();

/// A script for one of them, to be read by it.
[[nodiscard]] std::string completion(const CLI::App& program, const std::string& shell);

}  // namespace sotto::cli
