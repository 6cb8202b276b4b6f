// What a mixture sampler shows after each saved sweep, the same for every algorithm.
#pragma once

#include <cstddef>
#include <span>

namespace sotto::mixture {

/// A view into a sampler's state; it lives until the next sweep. Copy what is to be kept.
/// The random measure P itself is not part of it: given this view it is drawn by `MixingMeasure`
/// (measure.hpp), in the same way for marginal and for conditional algorithms.
template <class Parameter>
struct MixtureDraw {
  std::span<const int> allocation;   ///< shape (n): the cluster 0 .. clusters - 1 of each datum
  std::span<const int> sizes;        ///< shape (clusters): number of data in each cluster, all > 0
  std::span<const Parameter> atoms;  ///< shape (clusters): the kernel's parameter of each cluster
  double concentration = 0;          ///< of the mixing prior in this sweep

  [[nodiscard]] std::size_t clusters() const { return atoms.size(); }
};

/// Counts of one sweep's Metropolis-Hastings proposals for the confidential data.
struct SweepInfo {
  std::size_t proposed = 0;
  std::size_t accepted = 0;
  double worst_log_ratio =
      0;  ///< smallest log acceptance ratio among the proposals; >= -epsilon by Proposition 1

  SweepInfo& operator+=(const SweepInfo& other) {
    proposed += other.proposed;
    accepted += other.accepted;
    if (other.worst_log_ratio < worst_log_ratio) worst_log_ratio = other.worst_log_ratio;
    return *this;
  }
};

}  // namespace sotto::mixture
