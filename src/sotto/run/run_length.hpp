// How many steps a run takes where nobody says: as many as its budget has a use for, and no more than are worth the time.
#pragma once

#include <cstddef>

#include "sotto/base/numbers.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/method.hpp"
#include "sotto/run/pilot.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// Steps of all chains together beyond which a walk has hardly more to gain from its budget. A step of length l, in posterior
/// standard deviations, carries noise of variance s^2 = k l^2 steps where the budget is shared evenly, and steps end in effective draws in
/// proportion to s^2 / (l^2 + s^2): ten parts of noise for one of the step leave a tenth to gain.
/// Computes   10 / k,   k = mean of sensitivity^2 over moves from the centre / (2 rho moves' squared length)
/// Source     docs/walks.md
/// Checked by tests/run/run_length_test.cpp: useful_steps_are_ten_over_the_noise_of_one, grows_with_the_budget_up_to_what_a_walk_needs
[[nodiscard]] double useful_steps(const PublicProblem& problem, const Pilot* pilot, Rho rho);

/// Draws, warmup and thinning of each chain: what the configuration names, else what suits the method. `rho`: what all steps
/// together may cost; infinite without privacy. All of it follows from public facts and from what `pilot` released.
[[nodiscard]] ChainSettings run_length(const Method& method, const FitConfig& config, const Problem& problem,
                                       const Pilot* pilot, Rho rho);

/// About how many effective draws of all chains together a budget buys.
struct ForetoldDraws {
  double of_budget;  ///< with as many steps as it has a use for; infinite where no formula tells
  double of_run;     ///< with the run's: no more than it keeps
};

/// No formula tells of proposals that were chosen.
/// Computes   method.worth / 2 · kept share · .331 / (d k), of trajectories over (1 + sqrt d)^2; of the run, but for trajectories, times
///            k T / (w + k T), T steps, w rows to a row of a batch, whose sensitivity k is of
/// Source     docs/walks.md; the half is measured there
/// Checked by tests/run/run_length_test.cpp: draws_for_a_budget_are_those_of_the_formula
[[nodiscard]] ForetoldDraws draws_for(Rho rho, const Method& method, const FitConfig& config,
                                      const PublicProblem& problem, const Pilot& pilot,
                                      const ChainSettings& settings);

/// Of all chains together.
[[nodiscard]] std::size_t steps_in_all(const ChainSettings& settings, std::size_t chains);

}  // namespace sotto
