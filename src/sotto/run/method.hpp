// The methods: what each needs of an owner, and which chains it runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/release/query.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/pilot.hpp"
#include "sotto/run/problem.hpp"
#include "sotto/run/run_plan.hpp"

namespace sotto {

/// All that chains are made from.
struct ChainRun {
  const MethodConfig& config;
  const PublicProblem& problem;
  const ChainSettings& settings;
  const StepBudget& step_budget;
  QueryInterface& interface;
  const Progress& progress;
  const Pilot* pilot = nullptr;  ///< none: only public things are known of where the posterior lies
};

struct Method {
  std::string name;
  bool for_study;                              ///< not private
  QueryRegime regime;                          ///< not used for study
  std::size_t draws;                           ///< per chain, where the user names no number
  std::vector<Chain> (*run)(const ChainRun&);  ///< none: release-once, which runs no chain on the owner
  std::string (*approximation)(const FitConfig&) = nullptr;  ///< a sentence; none: the target is exact
  bool looks = false;  ///< begins with a look at the rows, where the model allows one
  double steps_per_coordinate =
      0;  ///< of a walk, from one draw to the next where noise does not count; 0: each step ends in one
  double worth =
      0;  ///< effective draws of a budget over a penalty walk's, but for dimension; 0: no formula tells
};

/// A note of the settings that were given and that it does not read; empty where it reads all.
[[nodiscard]] std::string unread_settings(const Method& method, const FitConfig& config);

/// Every method there is, private ones first.
[[nodiscard]] const std::vector<Method>& methods();

}  // namespace sotto
