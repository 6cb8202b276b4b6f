// What a rehearsal showed, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sotto/run/rehearsal.hpp"

namespace sotto {

/// Everything of it; sd without noise by parameter.
[[nodiscard]] nlohmann::ordered_json to_json(const Rehearsal& rehearsal);

/// A table of posterior standard deviations by parameter and budget, and a line of verdict for each budget. How often intervals held
/// the truth is told from 20 repeats on.
[[nodiscard]] std::string rehearsal_table(const Rehearsal& rehearsal);

}  // namespace sotto
