// Which datum is in which cluster, with O(1) moves and no allocation after construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace sotto::mixture {

/// A partition of 0..n-1. Clusters live in slots; a slot keeps its number while its cluster lives, and freed
/// slots are used again. `compact` renumbers the slots to 0..clusters-1.
class Partition {
 public:
  /// All n data in one cluster (slot 0).
  explicit Partition(std::size_t n)
      : allocation_(n, 0), sizes_(n + 1, 0), active_(n + 1), place_(n + 1, 0), label_(n + 1, 0) {
    std::iota(active_.begin(), active_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
    sizes_[0] = static_cast<int>(n);
    clusters_ = n > 0 ? 1 : 0;
  }

  [[nodiscard]] std::size_t data() const { return allocation_.size(); }
  [[nodiscard]] std::size_t clusters() const { return clusters_; }
  [[nodiscard]] int slot(std::size_t i) const { return allocation_[i]; }
  [[nodiscard]] int size(int slot) const { return sizes_[static_cast<std::size_t>(slot)]; }
  /// The occupied slots, in no particular order.
  [[nodiscard]] std::span<const int> active() const { return {active_.data(), clusters_}; }
  [[nodiscard]] std::span<const int> allocation() const { return allocation_; }
  /// Shape (clusters); meaningful after `compact`.
  [[nodiscard]] std::span<const int> sizes() const { return {sizes_.data(), clusters_}; }

  /// The slot that the next `open` will use.
  [[nodiscard]] int next_slot() const { return active_[clusters_]; }
  /// Opens an empty cluster and returns its slot.
  int open() { return active_[clusters_++]; }

  /// Moves datum i to `slot` (occupied, or `next_slot()`), closing the cluster that it leaves empty.
  void move(std::size_t i, int slot) {
    const int from = allocation_[i];
    if (from == slot) return;
    if (slot == next_slot()) open();
    allocation_[i] = slot;
    ++sizes_[static_cast<std::size_t>(slot)];
    if (--sizes_[static_cast<std::size_t>(from)] == 0) close(from);
  }

  /// Renumbers slots to 0..clusters-1. `moved(from, to)` is called for each renumbered cluster before `from`
  /// is used for anything else, so that the caller can move what it keeps per slot. O(clusters), plus O(n) if
  /// anything moved.
  template <class Moved>
  void compact(Moved moved) {
    bool changed = false;
    for (std::size_t slot = 0; slot < clusters_; ++slot) label_[slot] = static_cast<int>(slot);
    // Occupied slots at or above `clusters` fill the empty ones below.
    int hole = 0;
    for (std::size_t k = 0; k < clusters_; ++k) {
      const int slot = active_[k];
      if (slot < static_cast<int>(clusters_)) continue;
      while (sizes_[static_cast<std::size_t>(hole)] != 0) ++hole;
      moved(slot, hole);
      sizes_[static_cast<std::size_t>(hole)] = std::exchange(sizes_[static_cast<std::size_t>(slot)], 0);
      label_[static_cast<std::size_t>(slot)] = hole;
      changed = true;
    }
    if (!changed) return;
    for (int& slot : allocation_) slot = label_[static_cast<std::size_t>(slot)];
    std::iota(active_.begin(), active_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
  }

  /// Takes the sizes of clusters 0..clusters-1 alone, where no datum is ever moved; which datum is in which is not known until the
  /// next `assign`.
  void assign_sizes(std::span<const int> sizes) {
    std::fill(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(clusters_), 0);
    clusters_ = sizes.size();
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  }

  /// Takes a whole allocation with labels 0..clusters-1, all used.
  void assign(std::span<const int> allocation, std::size_t clusters) {
    for (std::size_t slot = 0; slot < clusters_; ++slot) sizes_[static_cast<std::size_t>(active_[slot])] = 0;
    clusters_ = clusters;
    for (std::size_t i = 0; i < allocation.size(); ++i) {
      allocation_[i] = allocation[i];
      ++sizes_[static_cast<std::size_t>(allocation[i])];
    }
    std::iota(active_.begin(), active_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
  }

 private:
  void close(int slot) {
    --clusters_;
    const auto at = static_cast<std::size_t>(place_[static_cast<std::size_t>(slot)]);
    const int last = active_[clusters_];
    std::swap(active_[at], active_[clusters_]);
    place_[static_cast<std::size_t>(last)] = static_cast<int>(at);
    place_[static_cast<std::size_t>(slot)] = static_cast<int>(clusters_);
  }

  std::vector<int> allocation_;  ///< datum -> slot
  std::vector<int> sizes_;       ///< slot -> size
  std::vector<int> active_;      ///< a permutation of the slots: the occupied ones first
  std::vector<int> place_;       ///< slot -> its index in active_
  std::vector<int> label_;       ///< scratch of compact
  std::size_t clusters_ = 0;
};

}  // namespace sotto::mixture
