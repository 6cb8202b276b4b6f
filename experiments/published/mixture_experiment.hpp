// Runs the figures and tables of the paper on mixtures of privatised data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/published/mixture_figures.hpp"
#include "sotto/base/position.hpp"

namespace sotto {

struct MixtureExperiment {
  MixtureFigure figure;
  std::vector<double> epsilons = {};         ///< what to run of the figure; empty: all
  std::vector<std::string> algorithms = {};  ///< the same. What is run is the same whatever is left out
  std::size_t repeats = 0;                   ///< 0: as published
  double share = 1;  ///< of the published 100,000 sweeps, of which the first half is dropped
  std::uint64_t seed = 1;
  std::size_t threads = 1;  ///< runs at a time
};

/// One algorithm on one release.
struct MixtureOutcome {
  std::size_t panel = 0;  ///< of the figure
  std::string algorithm;
  std::size_t repeat = 0;
  std::size_t sweeps = 0;  ///< first half included
  double seconds = 0;      ///< processor time of the chain
  /// By name; what an algorithm does not have is not there:
  ///   acceptance, smallest_ratio   of proposals for the data; the least acceptance probability of all
  ///   true_epsilon, true_delta     what the noise keeps, by the exact sensitivity; true_delta at the epsilon asked for
  ///   noise_sd                     of additive noise
  ///   ess, clusters, clusters_error  of the number of clusters: effective draws, mean, its Monte Carlo error
  ///   from_truth, from_prior       Hellinger distance of the posterior mean density; of waiting times from the posterior given the data
  ///   width, covered               of the pointwise 95 % bands: integral; share of the true density's mass within
  ///   mean, sd, at_ends            of the posterior mean density; its mass in the outer fortieths of the grid
  ///   ari                          adjusted Rand index of the partition of least variation of information and the true one
  std::map<std::string, double> measured;
  Position mean, lower, upper;        ///< the density on the figure's grid
  Position prior;                     ///< before any data
  std::vector<double> cluster_count;  ///< probability of 0, 1, 2, ... clusters
  std::vector<double> released;       ///< where there is one number a row
};

struct MixtureResult {
  Position grid, truth;  ///< truth of waiting times: posterior mean given the data
  std::vector<MixtureOutcome> outcomes;
  bool ended_early = false;
};

/// Errors: usage where the figure has nothing of an epsilon or an algorithm that is asked for.
void check_selection(const MixtureExperiment& experiment);

/// Runs every panel, repeat and algorithm; `done` hears of each in their order, `progress` of the share that is done, and ends the
/// run by returning false. NOT PRIVATE: noise is seeded. Chains follow the print but for errata E23, E28 and E34; noise is as printed
/// where the mechanism says so, else the least that keeps the promise.
/// Source     [BFR24]
[[nodiscard]] MixtureResult run_mixture_experiment(const MixtureExperiment& experiment,
                                                   const std::function<void(const MixtureOutcome&)>& done,
                                                   const std::function<bool(double)>& progress);

}  // namespace sotto
