// The clipping experiment of the DP-HMC paper's figure 3: how far clipped ratios move a chain without noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/published/all_runs.hpp"
#include "experiments/published/synthetic_problem.hpp"

namespace sotto {

struct ClippingExperiment {
  std::size_t rows = 100000;  ///< as published; steps are scaled with 1 / sqrt(rows)
  std::vector<double>
      bounds;  ///< of |log ratio| of a row over the length of the move; empty: the published ones
  std::size_t repeats = 1;  ///< published: 10
  std::vector<std::string> problems = {"banana", "normal"};
  std::vector<std::string> methods = {"metropolis", "hmc", "barker"};  ///< published: the first two
  double share = 1;                                                    ///< of the published number of steps
  std::uint64_t seed = 1;
  int threads = 1;
};

/// One run: four chains, first halves dropped.
struct ClippingOutcome {
  std::string problem;
  std::string method;
  double bound = 0;
  std::size_t repeat = 0;
  std::size_t steps = 0;     ///< of each chain, first half included
  double acceptance = 0;     ///< mean
  double clipped_share = 0;  ///< of rows whose ratio was clipped, averaged over some of the moves
  double rhat = 0;           ///< largest over the coordinates
  Distance distance = {};
};

/// Runs every combination; `done` hears of each as it ends. NOT PRIVATE: answers are exact, data are synthetic. Tuning and
/// starting points are the published ones (erratum E17).
std::vector<ClippingOutcome> run_clipping_experiment(const ClippingExperiment& experiment,
                                                     const std::function<void(const ClippingOutcome&)>& done,
                                                     const GoOn& go_on = {});

}  // namespace sotto
