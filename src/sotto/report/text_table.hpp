// The table of a posterior as people read it on a terminal.
#pragma once

#include <optional>
#include <string>

#include "sotto/chain/draws.hpp"

namespace sotto {

/// One line per parameter: mean, sd, 5 %, 50 %, 95 %, ess_bulk, ess_tail, rhat; with `comparison` also the
/// mean and sd of the fit without privacy, under a heading NOT PRIVATE. Ends in a line break.
[[nodiscard]] std::string posterior_table(const Draws& draws,
                                          const std::optional<Draws>& comparison = std::nullopt);

}  // namespace sotto
