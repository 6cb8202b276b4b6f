// For a given kernel: from a column's channel to the sampler's data, and through the chains.
#pragma once

#include <utility>
#include <vector>

#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/neal2.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/algorithm/neal8.hpp"
#include "sotto/mixture/fit/density_base.hpp"
#include "sotto/mixture/fit/density_chain.hpp"
#include "sotto/mixture/fit/density_shown.hpp"

namespace sotto {

/// One chain on any data; `starts` are first guesses of the confidential values.
template <class Kernel, class Data, class Shown>
DensityChain run_one_chain(const Kernel& kernel, const Data& data, std::vector<typename Kernel::Datum> starts,
                           const Shown& shown, const std::vector<Position>& grids,
                           const DensitySettings& settings, ChainRng& rng) {
  using mixture::AnyMixing;
  const AnyMixing mixing = mixing_prior(settings);
  const auto run = [&](auto&& sampler) { return run_density_chain(sampler, shown, settings, grids, rng); };
  const std::string& algorithm = settings.algorithm;
  if (algorithm == "neal5") {
    return run(mixture::Neal5<Kernel, AnyMixing, Data>(kernel, mixing, data, std::move(starts), {}, rng));
  }
  if (algorithm == "slice" || algorithm == "blocked-gibbs") {
    const auto truncation =
        algorithm == "slice" ? mixture::Truncation::slice : mixture::Truncation::tolerance;
    return run(mixture::Conditional<Kernel, AnyMixing, Data>(kernel, mixing, data, std::move(starts),
                                                             {.truncation = truncation}, rng));
  }
  if constexpr (mixture::HasMarginalDensity<Data, Kernel>) {
    if (algorithm == "neal8")
      return run(mixture::Neal8<Kernel, AnyMixing, Data>(kernel, mixing, data, {}, rng));
  }
  if constexpr (mixture::ConjugateKernel<Kernel>) {
    if (algorithm == "neal3" || algorithm == "split-merge") {
      const std::size_t moves = algorithm == "split-merge" ? 5 : 0;
      return run(mixture::Neal3<Kernel, AnyMixing, Data>(kernel, mixing, data, std::move(starts),
                                                         {.split_merge_moves = moves}, rng));
    }
    if constexpr (mixture::is_confidential<Data>) {
      if (algorithm == "neal2") return run(mixture::Neal2<Kernel, AnyMixing>(kernel, mixing, data, rng));
    }
  }
  throw Error(ErrorCode::configuration,
              "this algorithm does not fit this channel and kernel; use neal5, slice or blocked-gibbs");
}

/// What is shown of a scalar column with this kernel.
template <class Kernel>
Position grid_for(const Kernel&, const Interval& domain, const DensitySettings& settings) {
  // Beta densities may be infinite at the ends: their grid begins half a step inside.
  double inset = 0;
  if constexpr (std::same_as<Kernel, mixture::BetaKernel>)
    inset = domain.width() / (2.0 * static_cast<double>(settings.grid_points));
  if constexpr (std::same_as<Kernel, mixture::PoissonKernel>) return whole_numbers(domain);
  return mixture::even_grid({domain.lower + inset, domain.upper - inset}, settings.grid_points);
}

/// A first guess that the kernel can have: strictly inside the domain, as the densities of some kernels vanish at its ends;
/// whole for counts.
template <class Kernel>
double legal_start(const Kernel&, double y, const Interval& domain) {
  if constexpr (std::same_as<Kernel, mixture::PoissonKernel>) return std::fmax(0, std::round(y));
  const double inset = 1e-3 * domain.width();
  return std::clamp(y, domain.lower + inset, domain.upper - inset);
}

template <class Kernel, class Data>
DensityResult run_all_chains(const Kernel& kernel, const Data& data, const Interval& domain,
                             const std::function<std::vector<double>(ChainRng&)>& starts,
                             const DensitySettings& settings) {
  const Marginal<Kernel> shown(kernel);
  const EvaluationGrid grids = shown_grids(shown, {grid_for(kernel, domain, settings)},
                                           std::same_as<Kernel, mixture::PoissonKernel>, settings);
  const std::vector<DensityChain> chains = run_density_chains(settings, [&](ChainRng& rng) {
    std::vector<double> start = starts(rng);
    for (double& y : start) y = legal_start(kernel, y, domain);
    return run_one_chain(kernel, data, std::move(start), shown, grids.grids, settings, rng);
  });
  return summarise_density(chains, grids, settings, !mixture::is_global<Data>);
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
  throw Error(ErrorCode::configuration, "a column of categories needs the categorical kernel");
}

template <class Kernel>
DensityResult estimate_confidential(const Kernel& kernel, const std::vector<double>& data,
                                    const Interval& domain, const DensitySettings& settings) {
  const mixture::Confidential<double> confidential{data};
  return run_all_chains(
      kernel, confidential, domain, [&](ChainRng&) { return data; }, settings);
}

}  // namespace sotto
