// Release-once for a category: one noisy count of each level, independent draws, and what to say of them.
#pragma once

#include <cstddef>

#include "sotto/chain/lockstep.hpp"
#include "sotto/release/query.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// As run_release_once (run/once.hpp), for a problem whose model is a distribution::Categorical. `owner` answers statistics.
void run_categorical_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                          QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record);

}  // namespace sotto
