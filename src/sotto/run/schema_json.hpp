// A declaration as JSON, by the words of a schema file: what a fit leaves in manifest.json, read back.
#pragma once

#include <nlohmann/json.hpp>

#include "sotto/data/schema.hpp"

namespace sotto {

[[nodiscard]] nlohmann::ordered_json to_json(const Schema& schema);

/// What `to_json` wrote. Errors: data where a key is missing or of another type; configuration where the declaration is not consistent.
[[nodiscard]] Schema schema_from_json(const nlohmann::ordered_json& json);

}  // namespace sotto
