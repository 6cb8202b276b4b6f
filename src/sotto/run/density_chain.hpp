// One chain of a mixture sampler and what is kept of it; several chains at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/dirichlet_process.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/measure.hpp"
#include "sotto/mixture/point_partition.hpp"
#include "sotto/run/density.hpp"

namespace sotto {

/// What one chain leaves behind.
struct DensityChain {
  Matrix densities;                             ///< shape (draws, grid): of draws of P
  std::vector<double> clusters, concentration;  ///< shape (draws)
  std::vector<mixture::Allocation> partitions;  ///< every so many draws
  std::vector<double> synthetic;                ///< shape (draws)
  mixture::SweepInfo proposals;
};

/// Draws that the point partitions are computed from: fewer for many data, so that the search stays in seconds.
[[nodiscard]] inline std::size_t kept_partitions(const DensitySettings& settings, std::size_t rows) {
  return std::min(settings.partitions, std::max<std::size_t>(20, 10'000'000 / rows));
}

/// Warms up, adapts the kernel's update meanwhile, then saves. `shown` turns an atom into the density of a
/// datum: the sampler's own kernel, except where the sampler works on releases.
template <class Sampler, class Shown>
DensityChain run_density_chain(Sampler& sampler, const Shown& shown, const DensitySettings& settings,
                               const Position& grid, ChainRng& rng) {
  sampler.state().adapt(true);
  for (std::size_t sweep = 0; sweep < settings.warmup; ++sweep) (void)sampler.sweep(rng);
  sampler.state().adapt(false);
  DensityChain chain;
  const auto draws = static_cast<Eigen::Index>(settings.draws);
  chain.densities.resize(draws, grid.size());
  mixture::MixingMeasure<typename Sampler::State::Parameter> measure;
  Position density(grid.size());
  const std::size_t wanted =
      std::max<std::size_t>(1, kept_partitions(settings, sampler.state().size()) / settings.chains);
  const std::size_t stride = std::max<std::size_t>(1, settings.draws / wanted);
  for (Eigen::Index s = 0; s < draws; ++s) {
    for (std::size_t sweep = 0; sweep < settings.thin; ++sweep) chain.proposals += sampler.sweep(rng);
    const auto& state = sampler.state();
    const auto draw = state.draw();
    mixture::draw_measure(draw, state.kernel, state.mixing, rng, measure);
    mixture::density_on_grid(shown, measure, grid, density);
    chain.densities.row(s) = density;
    chain.clusters.push_back(static_cast<double>(draw.clusters()));
    chain.concentration.push_back(draw.concentration);
    chain.synthetic.push_back(mixture::draw_predictive(shown, measure, rng));
    if (static_cast<std::size_t>(s) % stride == 0) {
      chain.partitions.emplace_back(draw.allocation.begin(), draw.allocation.end());
    }
  }
  return chain;
}

/// All chains, `settings.threads` at a time, chain c from stream c of the seed. The result is the same for
/// any number of threads.
[[nodiscard]] std::vector<DensityChain> run_density_chains(const DensitySettings& settings,
                                                           const std::function<DensityChain(ChainRng&)>& one);

/// Everything but the deconvolution estimate. `prior` has shape (grid).
[[nodiscard]] DensityResult summarise_density(const std::vector<DensityChain>& chains, const Position& grid,
                                              const Position& prior, const DensitySettings& settings,
                                              bool clusters_mean_something);

[[nodiscard]] mixture::DirichletProcess dirichlet_process(const DensitySettings& settings);

// One file each, so that they compile side by side. The column's domain is [0, 1] for `beta`.
[[nodiscard]] DensityResult estimate_with_normal(const Column& column, const PrivatisedColumn& released,
                                                 std::size_t rows, const DensitySettings& settings);
[[nodiscard]] DensityResult estimate_with_beta(const Column& column, const PrivatisedColumn& released,
                                               std::size_t rows, const DensitySettings& settings);
/// Neal 2, Neal 3 and split-merge on the releases of a Gaussian channel, whose kernel is conjugate.
[[nodiscard]] DensityResult estimate_with_conjugate(const Column& column, const PrivatisedColumn& released,
                                                    const DensitySettings& settings);
[[nodiscard]] DensityResult estimate_confidential_with_normal(const std::vector<double>& data,
                                                              const Interval& domain,
                                                              const DensitySettings& settings);
[[nodiscard]] DensityResult estimate_confidential_with_beta(const std::vector<double>& data,
                                                            const DensitySettings& settings);

}  // namespace sotto
