// One clustering out of many: distances between partitions, co-clustering, and the partition of least
// expected loss.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

using Allocation = std::vector<int>;  ///< shape (n): the cluster of each datum, labels >= 0

enum class PartitionLoss { variation_of_information, binder };

/// Computes   VI = (sum_h n_h ln n_h + sum_j m_j ln m_j - 2 sum_hj n_hj ln n_hj) / n, in nats
/// Source     [M07, section 3]
[[nodiscard]] double variation_of_information(std::span<const int> a, std::span<const int> b);

/// The share of pairs of data that exactly one of the two partitions puts together.
/// Source     [B78]
[[nodiscard]] double binder_loss(std::span<const int> a, std::span<const int> b);

/// Agreement of two partitions: 1 when equal, 0 on average for independent ones.
/// Source     [HA85]
[[nodiscard]] double adjusted_rand_index(std::span<const int> a, std::span<const int> b);

/// Shape (n, n): the share of draws in which two data are in one cluster.
[[nodiscard]] Matrix co_clustering(const std::vector<Allocation>& draws);

struct PointPartition {
  Allocation allocation;     ///< labels 0 .. clusters - 1 in order of first appearance
  double expected_loss = 0;  ///< mean over the draws
};

struct SearchSettings {
  int starts = 8;         ///< independent greedy searches
  int most_clusters = 0;  ///< of the answer; 0: twice the largest number in the draws
};

/// The partition with the least mean loss to the draws, searched among all partitions, not only those drawn.
///
/// Computes   per start: data are allocated one by one, in random order, to the cluster of least expected
///            loss; then passes that move one datum at a time run until none helps. The best drawn partition
///            is polished in the same way
/// Source     [DJM22, section 3]
/// Holds when the answer is a local minimum; with n <= 7 the tests find the global one by enumeration
/// Checked by tests/mixture/point_partition_test.cpp: search_finds_the_best_of_all_partitions
[[nodiscard]] PointPartition minimise_expected_loss(const std::vector<Allocation>& draws, PartitionLoss loss,
                                                    ChainRng& rng, SearchSettings settings = {});

}  // namespace sotto::mixture
