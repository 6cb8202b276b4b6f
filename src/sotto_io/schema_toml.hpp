// Schemas as TOML files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/schema.hpp"

namespace sotto {

/// Reads and checks a schema:
///
///   adjacency = "substitute"            # or "add-remove"
///   [unit]                              # without it the unit is one row
///   person = "id"
///   maximum_rows = 4
///   [[column]]
///   name = "age"
///   kind = "real"                       # real, count: lower, upper; binary; category: levels = ["a", "b"]
///   lower = 0
///   upper = 120
///   missing = "drop"                    # or "impute" with imputed = value or level
///   out_of_range = "clamp"              # or "missing"
///
/// Errors: no_input; configuration, with file, line and what to change.
[[nodiscard]] Schema read_schema(const std::filesystem::path& path);

/// The same from text; `name` stands for the file in messages.
[[nodiscard]] Schema parse_schema(std::string_view text, const std::string& name);

/// A schema to be filled in: every column of a header, commented choices, and no bound guessed from data. It
/// is refused by read_schema until kinds and bounds are filled in. Errors: data for names that are numbers or repeated: they are
/// likely a row's cells, and none of them is quoted.
[[nodiscard]] std::string schema_template(const std::vector<std::string>& names);

}  // namespace sotto
