// What a histogram was made of, as far as it knows: a bin for each datum, and the kernel's probability of every bin.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/bins.hpp"
#include "sotto/mixture/distinct_releases.hpp"
#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/marginal_density.hpp"
#include "sotto/mixture/normal_interval.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Channels that see of a datum its bin alone.
template <class Channel>
concept SeesBins = requires(const Channel& channel, double y) {
  channel.bins()(y);
};

/// A release of all data together, and a bin for each of them, which takes the place of a release of its own. The channel holds the
/// release, and how many data are in each bin.
template <SeesBins Channel>
struct BinnedRelease {
  Channel channel;
  std::vector<int> z;  ///< shape (data): bins
  BinnedRelease(Channel of, const std::vector<double>& data) : channel(std::move(of)) {
    z.reserve(data.size());
    for (const double y : data) z.push_back(channel.bins()(y));
    channel.start(data);
  }
  BinnedRelease(Channel of, std::vector<int> bins) : channel(std::move(of)), z(std::move(bins)) {}
  [[nodiscard]] std::size_t size() const { return z.size(); }
};

template <class Data>
inline constexpr bool is_binned = false;
template <class Channel>
inline constexpr bool is_binned<BinnedRelease<Channel>> = true;

/// All bins, also those without data.
template <class Channel>
DistinctReleases<int> distinct(const BinnedRelease<Channel>& data) {
  std::vector<std::vector<std::size_t>> rows(static_cast<std::size_t>(data.channel.bins().count()));
  for (std::size_t i = 0; i < data.z.size(); ++i) rows[static_cast<std::size_t>(data.z[i])].push_back(i);
  std::vector<int> bins(rows.size());
  for (std::size_t j = 0; j < bins.size(); ++j) bins[j] = static_cast<int>(j);
  return {std::move(bins), std::move(rows)};
}
template <class Data>
auto distinct(const Data& data) {
  return DistinctReleases<typename decltype(Data::z)::value_type>(data.z);
}

/// Given the probabilities of bins, moves data between these.
/// Computes   of all ordered pairs of bins one, a number m = 1, 2, 4, ... 128 of data of the first, and which, all alike; accepted with
///            (p_b / p_a)^m Q(W | after) / Q(W | before) c_a! c_b! / ((c_a - m)! (c_b + m)!), as sets of m are as many as that tells
/// Checked by tests/mixture/binned_release_test.cpp: leaves_the_posterior_of_counts_invariant
template <class Channel>
void move_between_bins(Channel& channel, const Position& probability,
                       std::vector<std::vector<std::size_t>>& rows, ChainRng& rng) {
  constexpr std::size_t kMovesPerBin = 10;
  constexpr std::size_t kSizes = 8;
  const std::size_t bins = rows.size();
  if (bins < 2) return;
  const auto middle = [&](std::size_t j) {
    const Interval bounds = channel.bins().bounds(static_cast<int>(j));
    return bounds.lower + bounds.width() / 2;
  };
  for (std::size_t move = 0; move < kMovesPerBin * bins; ++move) {
    const std::size_t a = rng.below(bins);
    const std::size_t b = (a + 1 + rng.below(bins - 1)) % bins;
    const std::size_t m = std::size_t{1} << rng.below(kSizes);
    if (rows[a].size() < m) continue;
    const auto from = static_cast<Eigen::Index>(a);
    const auto to = static_cast<Eigen::Index>(b);
    const auto count_a = static_cast<double>(rows[a].size());
    const auto count_b = static_cast<double>(rows[b].size());
    double log_ratio = static_cast<double>(m) * std::log(probability[to] / probability[from]);
    for (std::size_t k = 0; k < m; ++k) {
      log_ratio += channel.log_ratio(middle(a), middle(b)) +
                   std::log((count_a - static_cast<double>(k)) / (count_b + static_cast<double>(k) + 1));
      channel.replace(middle(a), middle(b));
    }
    if (!(std::log(positive_uniform(rng)) < log_ratio)) {
      for (std::size_t k = 0; k < m; ++k) channel.replace(middle(b), middle(a));
      continue;
    }
    for (std::size_t k = 0; k < m; ++k) {
      std::swap(rows[a][rng.below(rows[a].size())], rows[a].back());
      rows[b].push_back(rows[a].back());
      rows[a].pop_back();
    }
  }
}

/// The probability of every bin.
/// Checked by tests/mixture/binned_release_test.cpp: knows_the_probability_of_every_bin
template <class Channel, class Kernel>
requires(NormalLike<Kernel> || CountKernel<Kernel>) struct MarginalDensity<BinnedRelease<Channel>, Kernel> {
  using Prepared = Position;  ///< shape (bins)
  explicit MarginalDensity(const BinnedRelease<Channel>& data) : bins(data.channel.bins()) {}
  [[nodiscard]] Position densities(const Kernel& kernel, const typename Kernel::Parameter& theta) const {
    Position p = Position::Zero(bins.count());
    if constexpr (CountKernel<Kernel>) {
      const Interval& domain = bins.domain();
      for (double y = std::ceil(domain.lower); y <= std::floor(domain.upper); ++y)
        p[bins(y)] += std::exp(kernel.log_density(y, theta));
    } else {
      double log_inside = 0;
      if constexpr (std::same_as<Kernel, TruncatedNormalKernel>) log_inside = theta.log_inside;
      for (int j = 0; j < bins.count(); ++j) {
        Interval bounds = bins.bounds(j);
        // On the whole line the end bins hold what lies beyond them.
        if (std::same_as<Kernel, NormalKernel> && j == 0) bounds.lower = -HUGE_VAL;
        if (std::same_as<Kernel, NormalKernel> && j + 1 == bins.count()) bounds.upper = HUGE_VAL;
        p[j] = std::exp(
            log_interval((bounds.lower - theta.mean) / theta.sd, (bounds.upper - theta.mean) / theta.sd) -
            log_inside);
      }
    }
    return p.cwiseMax(1e-300);  // of a bin without data, too, the logarithm is a number
  }
  Bins bins;
};

}  // namespace sotto::mixture
