// What a run hands on: the draws of its chains, and how each chain ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sotto/base/position.hpp"

namespace sotto {

/// Why a chain stopped. Each is an outcome, not an error.
enum class StopReason { finished, budget_spent, interrupted, diverged };

/// The draws of one chain after warmup.
struct Chain {
  std::uint64_t seed = 0;
  Matrix draws;  ///< shape (draws, parameters), on the scale of the report
  std::map<std::string, std::vector<double>>
      steps;               ///< per draw: "accept_stat", "stepsize", ...; without the "__"
  std::size_t warmup = 0;  ///< steps that were discarded
  StopReason stop = StopReason::finished;
};

/// All chains of a run. All have the same number of parameters; the number of draws may differ.
struct Draws {
  std::vector<std::string> parameters;
  std::vector<Chain> chains;
};

}  // namespace sotto
