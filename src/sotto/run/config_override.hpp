// Settings of the command line, KEY=VALUE, over those of a configuration.
#pragma once

#include <toml++/toml.h>
#include <string>
#include <vector>

namespace sotto {

/// Puts a value into the table that its key names. A value that is neither TOML nor a number is text. Errors: usage (no KEY=VALUE);
/// configuration (a part of the key is no table).
void apply_override(toml::table& root, const std::string& assignment);

/// Of what a user says, "KEY=VALUE" as below: two words on one thing leave open which of them is meant. Errors: configuration.
void refuse_said_twice(const std::vector<std::string>& overrides);

}  // namespace sotto
