// From released values and their channel to a density with bands and clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/channel/privatise.hpp"
#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/point_partition.hpp"

namespace sotto {

/// How the mixture is fitted. Priors are set by the declared domain, never by the data.
struct DensitySettings {
  std::string kernel = "normal";  ///< normal (truncated to the domain) or beta (on the domain)
  std::string algorithm =
      "auto";                ///< auto, neal5, neal8, slice; Gaussian channel also neal2, neal3, split-merge
  double concentration = 1;  ///< of the Dirichlet process; a start where it has a prior
  bool concentration_prior = false;  ///< gamma(2, 2) on the concentration
  std::size_t chains = 4;
  std::size_t warmup = 1000;  ///< sweeps
  std::size_t draws = 1000;   ///< saved per chain
  std::size_t thin = 10;      ///< sweeps per saved draw
  std::size_t threads = 2;    ///< chains that run at a time
  std::uint64_t seed = 1;
  Eigen::Index grid_points = 201;
  double level = 0.95;           ///< of the bands
  std::size_t partitions = 400;  ///< draws that the point partitions are computed from
};

struct DensityResult {
  std::string algorithm;  ///< that was run
  Position grid;          ///< shape (grid), in the data's units
  mixture::DensityBands bands;
  Position prior;                         ///< density of a datum before any release was seen
  double hellinger = 0;                   ///< of the posterior mean density from it
  std::string verdict;                    ///< what that means
  std::optional<Position> deconvolution;  ///< the kernel estimator, for additive noise only
  double bandwidth = 0;                   ///< of it
  Draws draws;  ///< clusters, concentration where it has a prior, log density at nine points
  std::vector<double> cluster_count;             ///< posterior probability of 0, 1, 2, ... clusters
  std::optional<mixture::PointPartition> by_vi;  ///< local channels only: a histogram holds no row's value
  std::optional<mixture::PointPartition> by_binder;
  std::vector<mixture::Allocation> partitions;  ///< the draws they were computed from
  std::vector<double> synthetic;                ///< one draw of the posterior predictive per saved draw
  mixture::SweepInfo proposals;                 ///< of the confidential data
};

/// Posterior of the density of the confidential column, given its release. Everything in it is
/// post-processing. Errors: configuration for unknown names, a kernel or algorithm that does not fit the
/// channel; data for releases outside the channel's range.
[[nodiscard]] DensityResult estimate_density(const Column& column, const PrivatisedColumn& released,
                                             std::size_t rows, const DensitySettings& settings);

/// The same for confidential data themselves, for comparison: NOT PRIVATE.
[[nodiscard]] DensityResult estimate_density_not_private(std::vector<double> data, Interval domain,
                                                         const DensitySettings& settings);

/// The algorithm that `auto` stands for, by the measured rule in mixture/algorithm_choice.hpp. `column` is null for
/// confidential data.
[[nodiscard]] std::string choose_algorithm(const Column* column, const std::string& kernel);

}  // namespace sotto
