// One chain of a mixture sampler and what is kept of it; several chains at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto/mixture/measure.hpp"
#include "sotto/mixture/point_partition.hpp"
#include "sotto/mixture/prior/any_mixing.hpp"

namespace sotto {

/// What one chain leaves behind.
struct DensityChain {
  std::vector<Matrix> densities;                ///< per column, shape (draws, grid): of draws of P
  std::vector<double> clusters, concentration;  ///< shape (draws)
  std::vector<mixture::Allocation> partitions;  ///< every so many draws
  std::vector<std::vector<double>> synthetic;   ///< per column, shape (draws)
  mixture::SweepInfo proposals;
};

/// Draws that the point partitions are computed from: fewer for many data, so that the search stays in seconds.
[[nodiscard]] inline std::size_t kept_partitions(const DensitySettings& settings, std::size_t rows) {
  return std::min(settings.partitions, std::max<std::size_t>(20, 10'000'000 / rows));
}

/// Warms up, adapts the kernel's update meanwhile, then saves. `shown` turns an atom into the densities of the columns
/// (marginal.hpp); one grid per column.
template <class Sampler, class Shown>
DensityChain run_density_chain(Sampler& sampler, const Shown& shown, const DensitySettings& settings,
                               const std::vector<Position>& grids, ChainRng& rng) {
  sampler.state().adapt(true);
  for (std::size_t sweep = 0; sweep < settings.warmup; ++sweep) (void)sampler.sweep(rng);
  sampler.state().adapt(false);
  DensityChain chain;
  const auto draws = static_cast<Eigen::Index>(settings.draws);
  for (const Position& grid : grids) chain.densities.emplace_back(draws, grid.size());
  chain.synthetic.resize(grids.size());
  mixture::MixingMeasure<typename Sampler::State::Parameter> measure;
  const std::size_t wanted =
      std::max<std::size_t>(1, kept_partitions(settings, sampler.state().size()) / settings.chains);
  const std::size_t stride = std::max<std::size_t>(1, settings.draws / wanted);
  for (Eigen::Index s = 0; s < draws; ++s) {
    for (std::size_t sweep = 0; sweep < settings.thin; ++sweep) chain.proposals += sampler.sweep(rng);
    const auto& state = sampler.state();
    const auto draw = state.draw();
    mixture::draw_measure(draw, state.kernel, state.mixing, rng, measure);
    const auto synthetic = mixture::draw_predictive(shown.kernel(), measure, rng);
    for (std::size_t d = 0; d < grids.size(); ++d) {
      Position density(grids[d].size());
      mixture::density_on_grid(shown.column(d), measure, grids[d], density);
      chain.densities[d].row(s) = density;
      chain.synthetic[d].push_back(shown.value(synthetic, d));
    }
    chain.clusters.push_back(static_cast<double>(draw.clusters()));
    chain.concentration.push_back(draw.concentration);
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

/// Errors: configuration for an unknown name or a parameter out of range.
[[nodiscard]] mixture::AnyMixing mixing_prior(const DensitySettings& settings);

/// Where each column is shown, its prior predictive there, and how wide the bands are before any release was seen.
struct EvaluationGrid {
  std::vector<Position> grids;
  std::vector<Position> priors;
  std::vector<double> prior_widths;
  bool discrete = false;
};

/// Densities of draws of P from its prior, per column of shape (draws, grid). P given one datum that is a draw from the base
/// measure has the prior's law, for every mixing prior.
template <class Shown>
std::vector<Matrix> prior_densities(const Shown& shown, const std::vector<Position>& grids,
                                    const DensitySettings& settings, ChainRng& rng) {
  using Kernel = std::decay_t<decltype(shown.kernel())>;
  constexpr Eigen::Index kDraws = 400;
  mixture::AnyMixing mixing = mixing_prior(settings);
  mixing.reserve(1);
  std::vector<Matrix> densities;
  densities.reserve(grids.size());
  for (const Position& grid : grids) densities.emplace_back(kDraws, grid.size());
  const std::vector<int> sizes = {1};
  std::vector<typename Kernel::Parameter> atoms(1);
  mixture::MixingMeasure<typename Kernel::Parameter> measure;
  for (Eigen::Index s = 0; s < kDraws; ++s) {
    mixing.update(1, 1, rng);
    atoms[0] = shown.kernel().draw_prior(rng);
    const mixture::MixtureDraw<typename Kernel::Parameter> draw{
        .allocation = {}, .sizes = sizes, .atoms = atoms, .concentration = mixing.concentration()};
    mixture::draw_measure(draw, shown.kernel(), mixing, rng, measure, 1e-3, 300);
    for (std::size_t d = 0; d < grids.size(); ++d) {
      Position density(grids[d].size());
      mixture::density_on_grid(shown.column(d), measure, grids[d], density);
      densities[d].row(s) = density;
    }
  }
  return densities;
}

template <class Shown>
EvaluationGrid shown_grids(const Shown& shown, std::vector<Position> grids, bool discrete,
                           const DensitySettings& settings) {
  ChainRng rng(settings.seed, settings.chains);
  EvaluationGrid all{std::move(grids), {}, {}, discrete};
  for (std::size_t d = 0; d < all.grids.size(); ++d)
    all.priors.push_back(mixture::prior_predictive(shown.column(d), all.grids[d], rng));
  ChainRng of_prior(settings.seed, settings.chains + 2);
  const std::vector<Matrix> densities = prior_densities(shown, all.grids, settings, of_prior);
  for (std::size_t d = 0; d < all.grids.size(); ++d)
    all.prior_widths.push_back(mixture::relative_width(mixture::density_bands(densities[d], settings.level),
                                                       all.grids[d], discrete));
  return all;
}

/// Everything but names and the non-Bayesian estimates.
[[nodiscard]] DensityResult summarise_density(const std::vector<DensityChain>& chains,
                                              const EvaluationGrid& shown, const DensitySettings& settings,
                                              bool clusters_mean_something);

}  // namespace sotto
