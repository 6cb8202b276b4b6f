// From released values and their channels to densities with bands, and to clusters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/channel/column.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/point_partition.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"

namespace sotto {

/// How the mixture is fitted. Priors are set by the declared domain, never by the data.
struct DensitySettings {
  /// auto: categorical after a channel of categories, normal otherwise. Or normal (truncated to the domain), beta (on the
  /// domain), poisson (counts of the domain), categorical. One name is one model, whatever the algorithm.
  std::string kernel = "auto";
  /// auto, metropolis, neal5, neal8, slice, blocked-gibbs, neal2, neal3, split-merge: see docs/mixtures.md for what fits what.
  std::string algorithm = "auto";
  std::string mixing = "dirichlet-process";  ///< or pitman-yor, finite
  double concentration =
      1;  ///< of the Dirichlet process (a start where it has a prior); strength of Pitman-Yor; Dirichlet
          ///< parameter of each component of a finite mixture
  std::optional<mixture::ConcentrationPrior> concentration_prior =
      {};  ///< Dirichlet process: a gamma prior on the concentration
  std::string base =
      {};  ///< of one column: numbers of the kernel's base measure in the place of its own, `mean=0, rate=3`
  std::size_t imputations = 1;  ///< neal5: confidential values imputed per datum, as docs/mixtures.md allows
  double discount = 0.25;       ///< Pitman-Yor
  double components = 5;        ///< finite mixture: expected number, > 1; one more than a Poisson variate
  std::size_t chains = 4;
  std::size_t warmup = 1000;  ///< sweeps
  std::size_t draws = 1000;   ///< saved per chain
  std::size_t thin = 10;      ///< sweeps per saved draw
  std::size_t lengthenings =
      0;  ///< how often chains that have not mixed (`kMixedRhat`) go on, each time twice as long
  std::size_t threads = 2;  ///< chains that run at a time
  std::uint64_t seed = 1;
  Eigen::Index grid_points = 201;
  double level = 0.95;           ///< of the bands
  std::size_t partitions = 400;  ///< draws that the point partitions are computed from
  std::vector<std::string> quantities =
      {};  ///< P(x > 30), q(0.9), mean: see `parse_quantities` (quantity.hpp)
};

/// The largest R-hat of densities and quantities with which chains are taken for mixed.
inline constexpr double kMixedRhat = 1.05;
/// `DensitySettings::lengthenings` where nobody says how long a run is to be.
inline constexpr std::size_t kLengthenings = 3;

/// Of log densities and quantities; 0 where none can be computed. Clusters and their concentration mix more slowly, and a density is
/// the same for many numbers of them.
[[nodiscard]] double worst_rhat(const std::vector<ParameterSummary>& summary);

/// The names that DensitySettings takes.
[[nodiscard]] std::vector<std::string> kernel_names();
[[nodiscard]] std::vector<std::string> algorithm_names();
[[nodiscard]] std::vector<std::string> mixing_names();

/// The density of one column.
struct ColumnDensity {
  std::string name;
  bool discrete = false;  ///< counts or categories: probabilities of the grid's points instead of densities
  Position grid;          ///< shape (grid), in the data's units; categories by their number
  mixture::DensityBands bands;
  Position prior;          ///< density of a datum before any release was seen
  double hellinger = 0;    ///< of the posterior mean density from it
  double width = 0;        ///< of the pointwise bands relative to the density, on average over the data
  double prior_width = 0;  ///< the same before any release was seen
  std::optional<Position>
      deconvolution;     ///< the non-Bayesian estimate: kernel deconvolution after additive noise, inverted
                         ///< frequencies after randomised response
  double bandwidth = 0;  ///< of the kernel deconvolution; 0 where there is none
  mixture::BaseParameters base;  ///< the base measure of its kernel
};

/// A number that was asked for: its draws are those of the parameter of this name.
struct QuantityEstimate {
  std::string text;       ///< as it was asked for
  std::string parameter;  ///< quantity.1, ...
  double mean = 0;
  double sd = 0;
  /// Of the posterior interval of the bands' level. Of a quantile of a density the interval reaches to a bound of the column where it
  /// would end within 1/400 of the domain of it: values that are equal to the bound are beyond what a density can hold.
  double lower = 0;
  double upper = 0;
  double prior_lower = 0;  ///< the draws' before any data were seen
  double prior_upper = 0;
  std::size_t column = 0;
  std::optional<double> threshold{};  ///< of P(x > threshold) and P(x < threshold)
};

/// A log density of the draws: its parameter, and the point of the column's grid.
struct MonitoredDensity {
  std::string parameter;
  std::size_t column = 0;
  Eigen::Index at = 0;
};

struct DensityResult {
  std::string algorithm;  ///< that was run
  std::string kernel;
  std::size_t warmup = 0;  ///< sweeps of each chain before the draws
  std::size_t thin = 0;    ///< sweeps per draw
  std::vector<ColumnDensity> columns;
  std::vector<QuantityEstimate> quantities;
  Draws
      draws;  ///< clusters, concentration where it has a prior, quantities, log density at up to nine points of each column
  std::vector<MonitoredDensity> log_densities;
  std::vector<double> cluster_count;             ///< posterior probability of 0, 1, 2, ... clusters
  std::optional<mixture::PointPartition> by_vi;  ///< local channels only: a histogram holds no row's value
  std::optional<mixture::PointPartition> by_binder;
  std::vector<mixture::Allocation> partitions;  ///< the draws they were computed from
  std::vector<std::vector<double>>
      synthetic;                 ///< per column: one draw of the posterior predictive per saved draw
  mixture::SweepInfo proposals;  ///< of the confidential data
};

/// Told of all sweeps of all chains how many are done, from one thread at a time; false ends the run with the draws made so far.
using SweepProgress = std::function<bool(std::size_t done, std::size_t total)>;

/// Posterior of the density of confidential columns, given their release. One column through any channel; two to four
/// columns through local channels of numbers, as rows of one multivariate mixture. Everything in it is
/// post-processing. Errors: configuration for unknown names, a kernel or algorithm that does not fit the channel; data for
/// releases outside the channel's range; interrupted where `progress` ends the run before its first draws.
[[nodiscard]] DensityResult estimate_density(std::span<const Column> columns,
                                             std::span<const PrivatisedColumn> released, std::size_t rows,
                                             const DensitySettings& settings,
                                             const SweepProgress& progress = {});
[[nodiscard]] inline DensityResult estimate_density(const Column& column, const PrivatisedColumn& released,
                                                    std::size_t rows, const DensitySettings& settings,
                                                    const SweepProgress& progress = {}) {
  return estimate_density({&column, 1}, {&released, 1}, rows, settings, progress);
}

/// The same for one column of confidential data themselves, for comparison: NOT PRIVATE.
[[nodiscard]] DensityResult estimate_density_not_private(const ColumnSettings& column,
                                                         std::vector<double> data,
                                                         const DensitySettings& settings,
                                                         const SweepProgress& progress = {});

/// The algorithm that `auto` stands for, by the measured rule in mixture/algorithm/algorithm_choice.hpp. `columns` is empty for
/// confidential data.
[[nodiscard]] std::string choose_algorithm(std::span<const Column> columns, std::size_t rows,
                                           const DensitySettings& settings);

}  // namespace sotto
