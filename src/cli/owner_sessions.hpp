// Sessions with the owners of --owners that are in other processes.
#pragma once

#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"
#include "sotto_io/owner_toml.hpp"

namespace sotto::cli {

/// Begins one with each owner of `config.elsewhere`, about its model and this schema.
/// Errors: those of reading the files and of the owners, before anything was asked of rows; budget where the books of one no longer cover
/// what the run may spend; configuration for a run that is not private.
[[nodiscard]] std::vector<OwnerElsewhere> begin_sessions(const FitConfig& config, const Schema& schema,
                                                         const OwnersSettings& owners);

}  // namespace sotto::cli
