// One chain of a mixture sampler and what is kept of it; several chains at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto/mixture/fit/quantity.hpp"
#include "sotto/mixture/fit/sweep_count.hpp"
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
  std::vector<std::vector<double>> quantities;  ///< per quantity, shape (draws)
  mixture::SweepInfo proposals;

  /// Forgets all draws but the first.
  void cut(std::size_t draws) {
    for (Matrix& density : densities)
      density.conservativeResize(static_cast<Eigen::Index>(draws), Eigen::NoChange);
    const auto cut_values = [&](std::vector<double>& values) {
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(draws), values.end());
    };
    for (std::vector<double>& values : synthetic) cut_values(values);
    for (std::vector<double>& values : quantities) cut_values(values);
    cut_values(clusters);
    cut_values(concentration);
  }
};

/// Draws that the point partitions are computed from: fewer for many data, so that the search stays in seconds.
[[nodiscard]] inline std::size_t kept_partitions(const DensitySettings& settings, std::size_t rows) {
  return std::min(settings.partitions, std::max<std::size_t>(20, 10'000'000 / rows));
}

/// What is asked of every column: its density where it is shown, and quantities; and what the prior answers.
struct EvaluationGrid {
  std::vector<Position> grids;
  std::vector<Quantity> quantities;
  std::vector<Position> priors;                       ///< the prior predictive
  std::vector<double> prior_widths;                   ///< of the bands before any data were seen
  std::vector<std::vector<double>> prior_quantities;  ///< per quantity, shape (prior draws)
  bool discrete = false;
};

/// Part of a chain: what is swept, and then what is saved.
struct Stretch {
  std::size_t warmup = 0;  ///< sweeps, while the kernel's update adapts
  std::size_t thin = 1;    ///< sweeps per saved draw
};

/// Warms up, adapts the kernel's update meanwhile, then saves, from where the sampler stands. `shown` turns an atom into the densities of the columns
/// (marginal.hpp). Where `sweeps` ends the run the chain has the draws made so far.
template <class Sampler, class Shown>
DensityChain run_density_chain(Sampler& sampler, const Shown& shown, const DensitySettings& settings,
                               const EvaluationGrid& asked, const Stretch& stretch, SweepCount& sweeps,
                               ChainRng& rng) {
  const std::vector<Position>& grids = asked.grids;
  DensityChain chain;
  sampler.state().adapt(stretch.warmup > 0);
  bool go_on = true;
  for (std::size_t sweep = 0; sweep < stretch.warmup && go_on; ++sweep) {
    (void)sampler.sweep(rng);
    go_on = sweeps.go_on();
  }
  sampler.state().adapt(false);
  const auto draws = static_cast<Eigen::Index>(settings.draws);
  for (const Position& grid : grids) chain.densities.emplace_back(draws, grid.size());
  chain.synthetic.resize(grids.size());
  chain.quantities.resize(asked.quantities.size());
  mixture::MixingMeasure<typename Sampler::State::Parameter> measure;
  const std::size_t wanted =
      std::max<std::size_t>(1, kept_partitions(settings, sampler.state().size()) / settings.chains);
  const std::size_t stride = std::max<std::size_t>(1, settings.draws / wanted);
  for (Eigen::Index s = 0; s < draws; ++s) {
    for (std::size_t sweep = 0; sweep < stretch.thin && go_on; ++sweep) {
      chain.proposals += sampler.sweep(rng);
      go_on = sweeps.go_on();
    }
    if (!go_on) break;
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
    for (std::size_t q = 0; q < asked.quantities.size(); ++q) {
      const std::size_t d = asked.quantities[q].column;
      chain.quantities[q].push_back(value_of(asked.quantities[q], shown.column(d), measure, grids[d]));
    }
    chain.clusters.push_back(static_cast<double>(draw.clusters()));
    chain.concentration.push_back(draw.concentration);
    if (static_cast<std::size_t>(s) % stride == 0) {
      if constexpr (requires { sampler.allocate_rows(rng); }) sampler.allocate_rows(rng);
      chain.partitions.emplace_back(draw.allocation.begin(), draw.allocation.end());
    }
  }
  return chain;
}

/// A chain that has begun: every call goes on from where the last one ended.
using BegunChain = std::function<DensityChain(const Stretch&, SweepCount&, ChainRng&)>;

struct DensityChains {
  std::vector<DensityChain> chains;
  Stretch stretch;     ///< that was saved; all that was swept before it is its warmup
  bool ended = false;  ///< by the caller, before the end
};

/// All chains, `settings.threads` at a time, chain c from stream c of the seed. Where they have not mixed they go on, each time twice
/// as long and at most `settings.lengthenings` times, and the last stretch alone is kept. The result is the same for any number of
/// threads. Of a run that is ended early the last whole stretch is kept, or of the first so many chains, cut to one length, that
/// most draws remain. Errors: interrupted when that are fewer than two draws.
[[nodiscard]] DensityChains run_density_chains(const DensitySettings& settings, const EvaluationGrid& asked,
                                               const SweepProgress& progress,
                                               const std::function<BegunChain(ChainRng&)>& begin);

/// Errors: configuration for an unknown name or a parameter out of range.
[[nodiscard]] mixture::AnyMixing mixing_prior(const DensitySettings& settings);

/// Draws P from its prior, `each` being told of every one. P given one datum that is a draw from the base measure has the prior's
/// law, for every mixing prior.
template <class Kernel, class Each>
void draw_prior_measures(const Kernel& kernel, const DensitySettings& settings, ChainRng& rng, int draws,
                         const Each& each) {
  mixture::AnyMixing mixing = mixing_prior(settings);
  mixing.reserve(1);
  const std::vector<int> sizes = {1};
  std::vector<typename Kernel::Parameter> atoms(1);
  mixture::MixingMeasure<typename Kernel::Parameter> measure;
  for (int s = 0; s < draws; ++s) {
    mixing.update(1, 1, rng);
    atoms[0] = kernel.draw_prior(rng);
    const mixture::MixtureDraw<typename Kernel::Parameter> draw{
        .allocation = {}, .sizes = sizes, .atoms = atoms, .concentration = mixing.concentration()};
    mixture::draw_measure(draw, kernel, mixing, rng, measure, 1e-3, 300);
    each(s, measure);
  }
}

template <class Shown>
EvaluationGrid shown_grids(const Shown& shown, std::vector<Position> grids, std::vector<Quantity> quantities,
                           bool discrete, const DensitySettings& settings) {
  constexpr int kPriorDraws = 2000;  // at 400 the widths differ by 5 % between seeds
  ChainRng rng(settings.seed, settings.chains);
  EvaluationGrid all;
  all.grids = std::move(grids);
  all.quantities = std::move(quantities);
  all.discrete = discrete;
  for (std::size_t d = 0; d < all.grids.size(); ++d)
    all.priors.push_back(mixture::prior_predictive(shown.column(d), all.grids[d], rng));
  std::vector<Matrix> densities;
  for (const Position& grid : all.grids) densities.emplace_back(kPriorDraws, grid.size());
  all.prior_quantities.resize(all.quantities.size());
  ChainRng of_prior(settings.seed, settings.chains + 2);
  draw_prior_measures(shown.kernel(), settings, of_prior, kPriorDraws, [&](int s, const auto& measure) {
    for (std::size_t d = 0; d < all.grids.size(); ++d) {
      Position density(all.grids[d].size());
      mixture::density_on_grid(shown.column(d), measure, all.grids[d], density);
      densities[d].row(s) = density;
    }
    for (std::size_t q = 0; q < all.quantities.size(); ++q) {
      const std::size_t d = all.quantities[q].column;
      all.prior_quantities[q].push_back(value_of(all.quantities[q], shown.column(d), measure, all.grids[d]));
    }
  });
  for (std::size_t d = 0; d < all.grids.size(); ++d)
    all.prior_widths.push_back(mixture::relative_width(densities[d], settings.level, all.grids[d], discrete));
  return all;
}

/// Everything but names and the non-Bayesian estimates.
[[nodiscard]] DensityResult summarise_density(const DensityChains& run, const EvaluationGrid& shown,
                                              const DensitySettings& settings, bool clusters_mean_something);

}  // namespace sotto
