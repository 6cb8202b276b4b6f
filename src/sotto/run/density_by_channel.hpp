// For a given kernel: from a column's channel to the sampler's data, and through the chains.
#pragma once

#include <utility>
#include <vector>

#include "sotto/mixture/conditional.hpp"
#include "sotto/mixture/neal5.hpp"
#include "sotto/mixture/neal8.hpp"
#include "sotto/run/density_chain.hpp"

namespace sotto {

/// One chain on any data; `starts` are first guesses of the confidential values.
template <class Kernel, class Data>
DensityChain run_one_chain(const Kernel& kernel, const Data& data, std::vector<double> starts,
                           const DensitySettings& settings, const Position& grid, ChainRng& rng) {
  using mixture::DirichletProcess;
  const DirichletProcess mixing = dirichlet_process(settings);
  if (settings.algorithm == "slice") {
    mixture::Conditional<Kernel, DirichletProcess, Data> sampler(kernel, mixing, data, std::move(starts), {},
                                                                 rng);
    return run_density_chain(sampler, sampler.state().kernel, settings, grid, rng);
  }
  if (settings.algorithm == "neal8") {
    if constexpr (mixture::HasMarginalDensity<Data, Kernel>) {
      mixture::Neal8<Kernel, DirichletProcess, Data> sampler(kernel, mixing, data, {}, rng);
      return run_density_chain(sampler, sampler.state().kernel, settings, grid, rng);
    }
  }
  if (settings.algorithm != "neal5") {
    throw Error(ErrorCode::configuration,
                "this algorithm does not fit this channel and kernel; use neal5 or slice");
  }
  mixture::Neal5<Kernel, DirichletProcess, Data> sampler(kernel, mixing, data, std::move(starts), {}, rng);
  return run_density_chain(sampler, sampler.state().kernel, settings, grid, rng);
}

template <class Kernel, class Data>
DensityResult run_all_chains(const Kernel& kernel, const Data& data, const Interval& domain,
                             const std::function<std::vector<double>(ChainRng&)>& starts,
                             const DensitySettings& settings) {
  // Beta densities may be infinite at the ends: their grid begins half a step inside.
  const double half_step =
      settings.kernel == "beta" ? domain.width() / (2.0 * static_cast<double>(settings.grid_points)) : 0;
  const Position grid =
      mixture::even_grid({domain.lower + half_step, domain.upper - half_step}, settings.grid_points);
  const std::vector<DensityChain> chains = run_density_chains(settings, [&](ChainRng& rng) {
    std::vector<double> start = starts(rng);
    // Strictly inside: the densities of some kernels vanish at the ends.
    const double inset = 1e-3 * domain.width();
    for (double& y : start) y = std::clamp(y, domain.lower + inset, domain.upper - inset);
    return run_one_chain(kernel, data, std::move(start), settings, grid, rng);
  });
  ChainRng rng(settings.seed, settings.chains);
  const Position prior = mixture::prior_predictive(kernel, grid, rng);
  return summarise_density(chains, grid, prior, settings, !mixture::is_global<Data>);
}

template <class Kernel, class Channel>
DensityResult estimate_local(const Kernel& kernel, const Channel& channel, const auto& z,
                             const DensitySettings& settings) {
  using Z = typename std::decay_t<decltype(z)>::value_type;
  const mixture::LocalRelease<Channel, Z> data{channel, z};
  const auto starts = [&](ChainRng& rng) {
    std::vector<double> y;
    for (const Z& released : z) y.push_back(channel.initial(released, rng));
    return y;
  };
  return run_all_chains(kernel, data, channel.domain(), starts, settings);
}

/// Any numeric channel. Errors: configuration for categories; data when a histogram's release does not fit.
template <class Kernel>
DensityResult estimate_with(const Kernel& kernel, const Column& column, const PrivatisedColumn& released,
                            std::size_t rows, const DensitySettings& settings) {
  if (const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&column.channel)) {
    return estimate_local(kernel, *laplace, released.values, settings);
  }
  if (const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&column.channel)) {
    return estimate_local(kernel, *gaussian, released.values, settings);
  }
  if (const auto* haar = std::get_if<HaarChannel>(&column.channel)) {
    std::vector<HaarChannel::Datum> z;
    const std::size_t width = haar->coefficients();
    for (std::size_t at = 0; at + width <= released.values.size(); at += width) {
      z.push_back(haar->datum({released.values.data() + at, width}));
    }
    return estimate_local(kernel, *haar, z, settings);
  }
  if (const auto* perturbed = std::get_if<PerturbedHistogramChannel>(&column.channel)) {
    mixture::GlobalRelease<PerturbedHistogramChannel> data{*perturbed, rows};
    data.channel.observe(released.values);
    const auto starts = [&](ChainRng& rng) { return data.channel.initial(rows, rng); };
    return run_all_chains(kernel, data, perturbed->domain(), starts, settings);
  }
  if (const auto* smoothed = std::get_if<SmoothedHistogramChannel>(&column.channel)) {
    mixture::GlobalRelease<SmoothedHistogramChannel> data{*smoothed, rows};
    data.channel.observe(released.values);
    const auto starts = [&](ChainRng& rng) { return data.channel.initial(rng); };
    return run_all_chains(kernel, data, smoothed->domain(), starts, settings);
  }
  throw Error(ErrorCode::configuration, "a column of categories has no density; estimate a numeric column");
}

template <class Kernel>
DensityResult estimate_confidential(const Kernel& kernel, const std::vector<double>& data,
                                    const Interval& domain, const DensitySettings& settings) {
  const mixture::Confidential<double> confidential{data};
  return run_all_chains(
      kernel, confidential, domain, [&](ChainRng&) { return data; }, settings);
}

}  // namespace sotto
