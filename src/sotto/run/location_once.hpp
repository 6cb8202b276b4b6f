// Release-once for a normal mean or a banana: one noisy sum, independent draws, and what to say of them.
#pragma once

#include "sotto/chain/lockstep.hpp"
#include "sotto/posterior/location_posterior.hpp"
#include "sotto/posterior/location_release.hpp"
#include "sotto/release/query.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// As run_release_once (run/once.hpp), for a problem whose model is a LocationModel. Errors: configuration for a program's own.
void run_location_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                       QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record);

/// What release_location is told, all of it public. The model must be a LocationModel.
[[nodiscard]] LocationFacts location_facts(const Problem& problem);
/// Of such a model that is not a program's own.
[[nodiscard]] MeanPrior mean_prior(const PublicProblem& problem);

}  // namespace sotto
