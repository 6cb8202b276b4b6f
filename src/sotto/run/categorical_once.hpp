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
/// Query        how many rows have each level, once, for all of `cost`; of a row that has none of them nothing is told
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  rows_per_unit times: sqrt(2) where a row is exchanged, which moves two counts by one; 1 where it is added or removed
/// Noise        discrete Gaussian, charge and source: measurement/statistic.hpp, with the bound of distribution::Categorical
/// Checked by tests/privacy/replay_test.cpp: a_neighbour_moves_every_release_by_no_more_than_declared
void run_categorical_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                          QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record);

}  // namespace sotto
