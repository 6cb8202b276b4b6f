// From a method's name to a kernel, and its share of the budget per query.
#pragma once

#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/release/query.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// The method that `auto` stands for, else the name itself. Errors: configuration when there is no method of this name, or when
/// it is for study and the run is to be private, or the other way round.
[[nodiscard]] std::string resolve_method(const FitConfig& config, const Problem& problem);

/// What `method.draws` and `method.warmup` stand for when they are 0.
[[nodiscard]] ChainSettings chain_settings(const std::string& method, const MethodConfig& config);

/// Runs a chain method: `cost` is what all its queries together may take of the budget.
[[nodiscard]] std::vector<Chain> run_chain_method(const std::string& method, const MethodConfig& config,
                                                  const PublicProblem& problem, Answerer& answerer, Rho cost,
                                                  const Progress& progress);

}  // namespace sotto
