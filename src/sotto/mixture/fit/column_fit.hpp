// For a given kernel: from a column's channel to the sampler's data, and through the chains.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/metropolis.hpp"
#include "sotto/mixture/algorithm/neal2.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/algorithm/neal8.hpp"
#include "sotto/mixture/fit/chain.hpp"
#include "sotto/mixture/fit/kernel_table.hpp"
#include "sotto/mixture/fit/marginal.hpp"

namespace sotto {

template <class Data, class Kernel>
concept TakesMetropolis =
    mixture::is_local<Data> && mixture::HasMarginalDensity<Data, Kernel> && mixture::ConjugateBase<Kernel>;

/// A histogram's release with bins in the place of releases of rows.
template <class Data>
struct Binned;
template <class Channel>
struct Binned<mixture::GlobalRelease<Channel>> {
  using Data = mixture::BinnedRelease<Channel>;
};
template <class Data, class Kernel>
concept BinsTakeMetropolis = mixture::is_global<Data> && TakesMetropolis<typename Binned<Data>::Data, Kernel>;

/// The algorithms that fit: what needs a closed form that is not in the code, or another model, is not among them.
template <class Kernel, class Data>
std::vector<std::string_view> fitting_algorithms() {
  std::vector<std::string_view> names = {"neal5", "slice", "blocked-gibbs"};
  if (TakesMetropolis<Data, Kernel> || BinsTakeMetropolis<Data, Kernel>) names.emplace_back("metropolis");
  if (mixture::HasMarginalDensity<Data, Kernel>) names.emplace_back("neal8");
  if (mixture::ConjugateKernel<Kernel>) {
    names.emplace_back("neal3");
    names.emplace_back("split-merge");
  }
  if (mixture::ConjugateKernel<Kernel> && mixture::is_confidential<Data>) names.emplace_back("neal2");
  return names;
}

/// Errors: configuration, before anything is computed.
template <class Kernel, class Data>
void check_algorithm(const std::string& algorithm) {
  const std::vector<std::string_view> names = fitting_algorithms<Kernel, Data>();
  if (std::find(names.begin(), names.end(), algorithm) != names.end()) return;
  throw Error(ErrorCode::configuration,
              fmt::format("the algorithm {} does not fit this kernel and channel; use auto, {}", algorithm,
                          fmt::join(names, ", ")));
}

/// One chain on any data; `starts` are first guesses of the confidential values. All but them must outlive the chain.
template <class Kernel, class Data>
BegunChain begin_chain(const Kernel& kernel, const Data& data, std::vector<typename Kernel::Datum> starts,
                       const Marginal<Kernel>& shown, const EvaluationGrid& asked,
                       const DensitySettings& settings, ChainRng& rng) {
  using mixture::AnyMixing;
  const AnyMixing mixing = mixing_prior(settings);
  const auto begun = [&]<class Sampler>(Sampler sampler) -> BegunChain {
    return [sampler = std::make_shared<Sampler>(std::move(sampler)), &shown, &settings, &asked](
               const Stretch& stretch, SweepCount& sweeps, ChainRng& rng) {
      return run_density_chain(*sampler, shown, settings, asked, stretch, sweeps, rng);
    };
  };
  const std::string& algorithm = settings.algorithm;
  if (algorithm == "neal5") {
    return begun(mixture::Neal5<Kernel, AnyMixing, Data>(kernel, mixing, data, std::move(starts),
                                                         {.imputations = settings.imputations}, rng));
  }
  if (algorithm == "slice" || algorithm == "blocked-gibbs") {
    const auto truncation =
        algorithm == "slice" ? mixture::Truncation::slice : mixture::Truncation::tolerance;
    return begun(mixture::Conditional<Kernel, AnyMixing, Data>(kernel, mixing, data, std::move(starts),
                                                               {.truncation = truncation}, rng));
  }
  if constexpr (TakesMetropolis<Data, Kernel>) {
    if (algorithm == "metropolis")
      return begun(
          mixture::Metropolis<Kernel, AnyMixing, Data>(kernel, mixing, mixture::rounded(data), rng, false));
  }
  if constexpr (BinsTakeMetropolis<Data, Kernel>) {
    using BinnedData = typename Binned<Data>::Data;
    if (algorithm == "metropolis")
      return begun(mixture::Metropolis<Kernel, AnyMixing, BinnedData>(
          kernel, mixing, BinnedData(data.channel, starts), rng, false));
  }
  if constexpr (mixture::HasMarginalDensity<Data, Kernel>) {
    if (algorithm == "neal8")
      return begun(mixture::Neal8<Kernel, AnyMixing, Data>(kernel, mixing, data, {}, rng));
  }
  if constexpr (mixture::ConjugateKernel<Kernel>) {
    if (algorithm == "neal3" || algorithm == "split-merge") {
      const std::size_t moves = algorithm == "split-merge" ? 5 : 0;
      return begun(mixture::Neal3<Kernel, AnyMixing, Data>(kernel, mixing, data, std::move(starts),
                                                           {.split_merge_moves = moves}, rng));
    }
    if constexpr (mixture::is_confidential<Data>) {
      if (algorithm == "neal2") return begun(mixture::Neal2<Kernel, AnyMixing>(kernel, mixing, data, rng));
    }
  }
  throw Error(ErrorCode::internal, "an algorithm that does not fit was not refused");
}

/// All chains on one column's data, and what is shown of them.
template <class Kernel, class Data>
DensityResult run_all_chains(const Kernel& kernel, const Data& data, const ColumnSettings& column,
                             const std::function<std::vector<typename Kernel::Datum>(ChainRng&)>& starts,
                             const DensitySettings& settings, const SweepProgress& progress) {
  const Marginal<Kernel> shown(kernel);
  check_algorithm<Kernel, Data>(settings.algorithm);
  if (settings.imputations > 1 && !mixture::is_local<Data>)
    throw Error(ErrorCode::configuration,
                "several imputations per datum (--imputations) need a release of each row by itself");
  const Scale scale = !Kernel::kDiscrete                          ? Scale::density
                      : std::same_as<typename Kernel::Datum, int> ? Scale::categories
                                                                  : Scale::counts;
  const EvaluationGrid asked =
      shown_grids(shown, {kernel.shown(settings.grid_points)},
                  parse_quantities(settings.quantities, {&column, 1}, scale), Kernel::kDiscrete, settings);
  const DensityChains run = run_density_chains(settings, asked, progress, [&](ChainRng& rng) {
    std::vector<typename Kernel::Datum> start = starts(rng);
    // Strictly inside the domain: the densities of some kernels vanish at its ends.
    const double inset = 1e-3 * (column.upper - column.lower);
    for (auto& y : start) {
      if constexpr (std::same_as<typename Kernel::Datum, double>)
        y = std::clamp(y, column.lower + inset, column.upper - inset);
      y = kernel.legal(y);
    }
    return begin_chain(kernel, data, std::move(start), shown, asked, settings, rng);
  });
  DensityResult result = summarise_density(run, asked, settings, !mixture::is_global<Data>);
  result.columns[0].base = kernel.base();
  return result;
}

/// One column through its channel. Errors: configuration when the channel's data are not the kernel's; data when a release does
/// not fit its channel.
template <mixture::ColumnKernel Kernel>
DensityResult estimate_column(const Column& column, const PrivatisedColumn& released, std::size_t rows,
                              const DensitySettings& settings, const SweepProgress& progress) {
  using Datum = typename Kernel::Datum;
  const mixture::BaseParameters base = mixture::parse_base(settings.base);
  const auto through = [&]<class Channel>(const Channel& channel) -> DensityResult {
    if constexpr (!std::same_as<typename Channel::Datum, Datum>) {
      throw Error(ErrorCode::configuration,
                  fmt::format("the kernel {} is not for what the channel {} released; use --kernel auto",
                              Kernel::kName, Channel::kName));
    } else if constexpr (GlobalChannel<Channel, Datum>) {
      const Kernel kernel = Kernel::make(column.settings, base);
      mixture::GlobalRelease<Channel> data{channel, rows};
      data.channel.observe(released.values);
      const auto starts = [&](ChainRng& rng) { return data.channel.initial(rows, rng); };
      return run_all_chains(kernel, data, column.settings, starts, settings, progress);
    } else {
      const Kernel kernel = Kernel::make(column.settings, base);
      const auto z = channel.observed(released.values);
      using Z = typename std::decay_t<decltype(z)>::value_type;
      const mixture::LocalRelease<Channel, Z> data{channel, z};
      const auto starts = [&](ChainRng& rng) {
        std::vector<Datum> y;
        y.reserve(z.size());
        for (const Z& one : z) y.push_back(channel.initial(one, rng));
        return y;
      };
      return run_all_chains(kernel, data, column.settings, starts, settings, progress);
    }
  };
  return std::visit(through, column.channel);
}

/// Confidential numbers themselves.
template <mixture::ColumnKernel Kernel>
DensityResult estimate_confidential(const ColumnSettings& column, std::vector<double> data,
                                    const DensitySettings& settings, const SweepProgress& progress) {
  if constexpr (!std::same_as<typename Kernel::Datum, double>) {
    throw Error(ErrorCode::configuration, "confidential categories need no mixture: count them");
  } else {
    const Kernel kernel = Kernel::make(column, mixture::parse_base(settings.base));
    for (double& y : data) y = kernel.legal(y);
    const mixture::Confidential<double> confidential{data};
    return run_all_chains(
        kernel, confidential, column, [&](ChainRng&) { return data; }, settings, progress);
  }
}

template <std::size_t Share>
void KernelShare<Share>::add(std::vector<KernelRow>& table) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const auto add_row = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      using Kernel = std::tuple_element_t<K, Kernels>;
      if constexpr (K % kKernelShares == Share)
        table.push_back({Kernel::kName, mixture::CountKernel<Kernel>, &estimate_column<Kernel>,
                         &estimate_confidential<Kernel>});
    };
    (add_row(std::integral_constant<std::size_t, k>()), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Kernels>>());
}

}  // namespace sotto
