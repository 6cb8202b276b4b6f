// What a prior on partitions must offer, and how a cluster is proposed from it.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "sotto/mixture/partition.hpp"
#include "sotto/mixture/prior/unoccupied_mass.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// A Gibbs-type prior: a further datum joins an existing cluster of n_h data with weight n_h + size_shift(),
/// and opens a new one with weight new_weight(k), given k clusters among n - 1 others.
///   reserve(n)                prepares for n data; called once, before the chain
///   log_eppf(sizes)           log probability of a partition of n data with these cluster sizes
///   concentration()           the parameter reported with each draw
///   update(k, n, rng)         one step on the prior's own parameters given a partition with k clusters
///   draw_weights(sizes, w, rng)
///                             the weights of the k occupied atoms given the partition: fills w[0..k-1] and
///                             returns what is left for all other atoms
///   draw_stick(k, j, left, rng)
///                             the share of what is left that the next atom takes, after k occupied and j new
///   light_tail()              whether the weights that are left vanish geometrically
template <class Mixing>
concept MixingPrior = requires(Mixing& mixing, const Mixing& constant, std::size_t k,
                               std::span<const int> sizes, std::span<double> weights, ChainRng& rng) {
  mixing.reserve(k);
  { constant.size_shift() } -> std::convertible_to<double>;
  { constant.new_weight(k) } -> std::convertible_to<double>;
  { constant.log_eppf(sizes) } -> std::convertible_to<double>;
  { constant.concentration() } -> std::convertible_to<double>;
  mixing.update(k, k, rng);
  { constant.draw_weights(sizes, weights, rng) } -> std::convertible_to<UnoccupiedMass>;
  { constant.draw_stick(k, k, k, rng) } -> std::convertible_to<double>;
  { constant.light_tail() } -> std::convertible_to<bool>;
};

/// Draws the cluster of datum i from its prior given the clusters of all others: an occupied slot, or -1 for
/// a new one. Expected O(1) whatever the number of clusters: weight n_h is met by picking another datum, and
/// the shift of the sizes by a second pick (shift > 0) or by rejection (shift < 0).
template <MixingPrior Mixing>
int propose_cluster(const Mixing& mixing, const Partition& partition, std::size_t i, ChainRng& rng) {
  const int own = partition.slot(i);
  const bool alone = partition.size(own) == 1;
  const std::size_t k = partition.clusters() - (alone ? 1 : 0);
  const double others = static_cast<double>(partition.data() - 1);
  const double shift = mixing.size_shift();
  const double joined = others + shift * static_cast<double>(k);
  const double at = rng.uniform() * (joined + mixing.new_weight(k));
  if (at >= joined || k == 0) return -1;
  const auto other = [&](std::size_t j) { return partition.slot(j + (j >= i ? 1 : 0)); };
  if (shift >= 0) {
    if (at < others) return other(static_cast<std::size_t>(at));
    // One of the k clusters, uniformly; datum i's own does not count when it is alone in it.
    int slot;
    do slot = partition.active()[rng.below(partition.clusters())];
    while (alone && slot == own);
    return slot;
  }
  for (;;) {
    const int slot = other(rng.below(partition.data() - 1));
    const double size = partition.size(slot) - (slot == own ? 1 : 0);
    if (rng.uniform() * size < size + shift) return slot;
  }
}

}  // namespace sotto::mixture
