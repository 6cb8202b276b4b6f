// Every algorithm that a kernel and a channel allow, each against the exact posterior over partitions.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>

#include "mixture/effort.hpp"
#include "mixture/exact_posterior.hpp"
#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/smoothed_histogram.hpp"
#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/metropolis.hpp"
#include "sotto/mixture/algorithm/neal2.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/algorithm/neal8.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"

namespace sotto::mixture {

/// Runs a sampler and compares the whole law of the partition. As many sweeps are run afresh as bring a right chain's distance, five
/// standard deviations above its mean, below the bound; their number is printed. Neither looks at the exact law. Where all error
/// is in one direction, the worst case, that is the size of a normal variable beyond 3.8: false alarms below 2e-4 a check.
template <class Sampler>
void check_sampler(Sampler& sampler, Enumeration& exact, const std::string& what, ChainRng& rng) {
  if (!next_check_is_ours()) return;
  const double bound = effort().bound();
  const auto run = [&](std::size_t sweeps) {
    exact.expect(sweeps);
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
      sampler.sweep(rng);
      exact.visit(sampler.state().partition.allocation());
    }
    const Enumeration::Spread own = exact.own_error();
    return own.mean + 5 * own.deviation;
  };
  sampler.state().adapt(true);
  for (int sweep = 0; sweep < 1000; ++sweep) sampler.sweep(rng);
  sampler.state().adapt(false);
  constexpr std::size_t kMost = 20'000'000;
  std::size_t sweeps = effort().exhaustive() ? 50'000 : 5'000;
  double plausible = run(sweeps);
  while (plausible > bound && sweeps < kMost) {
    const double more = 1.1 * std::pow(plausible / bound, 2) * static_cast<double>(sweeps);
    sweeps = std::min(kMost, 100 * static_cast<std::size_t>(more / 100));
    plausible = run(sweeps);
  }
  std::printf("%s: %zu sweeps, own error %.4f, distance %.4f\n", what.c_str(), sweeps, exact.own_error().mean,
              exact.total_variation());
  EXPECT_LE(plausible, bound) << what << ", " << sweeps << " sweeps";
  EXPECT_LT(exact.total_variation(), bound) << what << ", " << sweeps << " sweeps";
}

template <class Kernel, class Mixing, class Data>
void check_algorithms(const std::string& what, const Kernel& kernel, const Mixing& mixing, const Data& data,
                      const std::vector<typename Kernel::Datum>& start, Enumeration& exact) {
  ChainRng rng(61);
  {
    Neal5 sampler(kernel, mixing, data, start, {}, rng);
    check_sampler(sampler, exact, what + ", Neal 5, m = 1", rng);
  }
  if constexpr (is_local<Data>)
    for (const AtomUpdate update : {AtomUpdate::all, AtomUpdate::selected}) {
      Neal5 sampler(kernel, mixing, data, start, {5, update}, rng);
      check_sampler(sampler, exact,
                    what + (update == AtomUpdate::all ? ", Neal 5, m = 5" : ", Neal 5, m = 5, one selected"),
                    rng);
    }
  for (const Truncation truncation : {Truncation::slice, Truncation::tolerance}) {
    if (truncation == Truncation::tolerance && !mixing.light_tail()) continue;
    Conditional sampler(kernel, mixing, data, start, {.truncation = truncation, .tolerance = 1e-8}, rng);
    check_sampler(sampler, exact, what + (truncation == Truncation::slice ? ", slice" : ", blocked Gibbs"),
                  rng);
  }
  if constexpr (HasMarginalDensity<Data, Kernel>) {
    Neal8 sampler(kernel, mixing, data, {}, rng);
    check_sampler(sampler, exact, what + ", Neal 8", rng);
  }
  if constexpr (is_local<Data> && HasMarginalDensity<Data, Kernel> && ConjugateBase<Kernel>) {
    if (mixing.light_tail()) {
      Metropolis sampler(kernel, mixing, data, rng);
      check_sampler(sampler, exact, what + ", Metropolis", rng);
    }
  }
  if constexpr (ConjugateKernel<Kernel>) {
    for (const std::size_t moves : {0, 2}) {
      Neal3 sampler(kernel, mixing, data, start, {.split_merge_moves = moves}, rng);
      check_sampler(sampler, exact, what + (moves == 0 ? ", Neal 3" : ", split-merge"), rng);
    }
    if constexpr (is_confidential<Data>) {
      Neal2 sampler(kernel, mixing, data, rng);
      check_sampler(sampler, exact, what + ", Neal 2", rng);
    }
  }
}

/// Releases on [-10, 10]; other domains get the same relative places.
inline const std::vector<double> kPlaces = {-5, -4, 4.5, 5, -4.5, 5.5, -5.5, 4};

inline std::vector<double> places(const Interval& domain, std::size_t n) {
  std::vector<double> z;
  for (std::size_t i = 0; i < n; ++i) z.push_back(domain.lower + domain.width() * (kPlaces[i] + 10) / 20);
  return z;
}

/// A local channel with its releases, behind one type: the samplers are compiled once per kernel.
struct ErasedChannel {
  std::string name;
  std::function<double(std::size_t, double)> log_q;  ///< of release i given y
  [[nodiscard]] double log_density(std::size_t i, double y) const { return log_q(i, y); }
};
using ErasedRelease = LocalRelease<ErasedChannel, std::size_t>;

template <class Channel>
ErasedRelease erase(const std::string& name, const Channel& channel, const auto& z) {
  ErasedRelease release{{name, [=](std::size_t i, double y) { return channel.log_density(z[i], y); }},
                        std::vector<std::size_t>(z.size())};
  std::iota(release.z.begin(), release.z.end(), 0);
  return release;
}

/// Of the values' cells, with some noise.
inline std::vector<HaarChannel::Observed> wavelet_releases(const HaarChannel& haar,
                                                           const std::vector<double>& z) {
  std::vector<HaarChannel::Observed> wavelets;
  ChainRng rng(62);
  for (const double y : z) {
    std::vector<double> coefficients;
    for (int j = 0; j <= haar.top_level(); ++j)
      for (std::size_t k = 0; k < std::size_t{1} << j; ++k)
        coefficients.push_back(static_cast<double>(haar.coefficient(haar.cell(y), j, k)) *
                                   HaarChannel::kStep +
                               0.5 * haar.scale() * rng.normal());
    wavelets.push_back(haar.observed_one(coefficients));
  }
  return wavelets;
}

/// n releases through every local channel. The grids are coarse, so that rounding to them matters.
inline std::vector<ErasedRelease> local_releases(const Interval& domain, std::size_t n) {
  const std::vector<double> z = places(domain, n);
  const HaarChannel haar(domain, 2, Epsilon(15));
  return {erase("Laplace", LaplaceChannel(domain, Epsilon(20)), z),
          erase("discrete Laplace", DiscreteLaplaceChannel(Grid(domain, 40), Epsilon(20)), z),
          erase("Gaussian", GaussianChannel(domain, Rho(200)), z),
          erase("discrete Gaussian", DiscreteGaussianChannel(Grid(domain, 40), Rho(200)), z),
          erase("wavelet", haar, wavelet_releases(haar, z))};
}

inline PerturbedHistogramChannel perturbed_release(const Interval& domain) {
  PerturbedHistogramChannel channel(Bins(domain, 4), Epsilon(1));
  channel.observe({2.1, 0.2, -0.3, 1.8});
  return channel;
}

inline SmoothedHistogramChannel smoothed_release(const Interval& domain, std::size_t n) {
  SmoothedHistogramChannel channel(Bins(domain, 4), n, 6, Epsilon(3));
  std::vector<double> release;
  for (const double place : {0.1, 0.15, 0.2, 0.6, 0.9, 0.95})
    release.push_back(domain.lower + place * domain.width());
  channel.observe(release);
  return channel;
}

/// All local channels, or those of real releases, whose noise is on a grid; with the Dirichlet process.
enum class LocalChannels { all, of_real_releases };
template <class Kernel>
void check_local_channels(const std::string& name, const Kernel& kernel, const Discretised<Kernel>& exact,
                          const Interval& domain, const std::vector<double>& start,
                          LocalChannels which = LocalChannels::all) {
  const DirichletProcess mixing(1);
  for (const ErasedRelease& release : local_releases(domain, start.size())) {
    const bool continuous = release.channel.name == "Laplace" || release.channel.name == "Gaussian";
    if (continuous && which == LocalChannels::of_real_releases) continue;
    Enumeration truth = enumerate_local(exact, release.channel.log_q, mixing, start.size());
    check_algorithms(name + ", " + release.channel.name, kernel, mixing, release, start, truth);
  }
}

/// Both histograms, with the Dirichlet process.
template <class Kernel>
void check_histograms(const std::string& name, const Kernel& kernel, const Discretised<Kernel>& exact,
                      const Interval& domain, const std::vector<double>& start) {
  const DirichletProcess mixing(1);
  const std::size_t n = start.size();
  const auto check = [&](const auto& channel, const char* histogram) {
    Enumeration truth = enumerate_global(exact, channel, mixing, n);
    using Release = GlobalRelease<std::decay_t<decltype(channel)>>;
    check_algorithms(name + ", " + histogram, kernel, mixing, Release{channel, n}, start, truth);
  };
  check(perturbed_release(domain), "perturbed histogram");
  check(smoothed_release(domain, n), "smoothed histogram");
}

/// A small concentration with six data, and a large one with four, after discrete Laplace noise: much noise where the concentration
/// is small, or the chains would seldom open a cluster.
template <class Kernel>
void check_concentrations(const std::string& name, const Kernel& kernel, const Discretised<Kernel>& exact,
                          const Interval& domain, const std::vector<double>& six) {
  const auto check = [&](double concentration, std::size_t n, double epsilon) {
    const std::vector<double> start(six.begin(), six.begin() + static_cast<std::ptrdiff_t>(n));
    const DirichletProcess mixing(concentration);
    const ErasedRelease release = erase(
        "discrete Laplace", DiscreteLaplaceChannel(Grid(domain, 40), Epsilon(epsilon)), places(domain, n));
    Enumeration truth = enumerate_local(exact, release.channel.log_q, mixing, n);
    check_algorithms(fmt::format("{}, concentration {}, {} data", name, concentration, n), kernel, mixing,
                     release, start, truth);
  };
  check(0.1, 6, 5);
  check(5, 4, 20);
}

/// Neal 8 needs the channel's own type; its exact density is that of a fine grid.
template <class Kernel>
void check_neal8(const std::string& name, const Kernel& kernel, const Discretised<Kernel>& exact,
                 const Interval& domain, std::size_t n, const DirichletProcess& mixing,
                 std::size_t auxiliaries) {
  const std::vector<double> z = places(domain, n);
  ChainRng rng(63);
  const auto check = [&](const auto& channel, const char* noise) {
    Enumeration truth = enumerate_local(
        exact, [&](std::size_t i, double y) { return channel.log_density(z[i], y); }, mixing, n);
    using Release = LocalRelease<std::decay_t<decltype(channel)>, double>;
    Neal8 sampler(kernel, mixing, Release{channel, z}, {auxiliaries}, rng);
    check_sampler(sampler, truth, name + ", " + noise + ", Neal 8", rng);
    Metropolis collapsed(kernel, mixing, Release{channel, z}, rng);
    check_sampler(collapsed, truth, name + ", " + noise + ", Metropolis", rng);
  };
  check(LaplaceChannel(domain, Epsilon(20)), "Laplace");
  check(DiscreteLaplaceChannel(Grid(domain), Epsilon(20)), "discrete Laplace");
  check(GaussianChannel(domain, Rho(200)), "Gaussian");
  check(DiscreteGaussianChannel(Grid(domain), Rho(200)), "discrete Gaussian");
  const HaarChannel haar(domain, 2, Epsilon(15));
  const std::vector<HaarChannel::Observed> wavelets = wavelet_releases(haar, z);
  Enumeration truth = enumerate_local(
      exact, [&](std::size_t i, double y) { return haar.log_density(wavelets[i], y); }, mixing, n);
  using Release = LocalRelease<HaarChannel, HaarChannel::Observed>;
  Neal8 sampler(kernel, mixing, Release{haar, wavelets}, {auxiliaries}, rng);
  check_sampler(sampler, truth, name + ", wavelet, Neal 8", rng);
  Metropolis collapsed(kernel, mixing, Release{haar, wavelets}, rng);
  check_sampler(collapsed, truth, name + ", wavelet, Metropolis", rng);
}

}  // namespace sotto::mixture
