// The sweeps of all chains of a run, counted together.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "sotto/mixture/fit/density.hpp"

namespace sotto {

/// Chains in several threads count their sweeps here, and ask whether to go on.
class SweepCount {
 public:
  explicit SweepCount(const SweepProgress& progress) : progress_(progress) {}

  /// Before chains begin, and again where they go on.
  void expect(std::size_t sweeps) { total_ += sweeps; }

  /// One sweep more; false when the run is to end.
  [[nodiscard]] bool go_on() {
    const std::size_t done = ++done_;
    if (!progress_) return true;
    // Whoever finds the callback busy need not wait for it.
    if (const std::unique_lock lock(callback_, std::try_to_lock); lock && !progress_(done, total_))
      ended_ = true;
    return !ended_;
  }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::size_t total_ = 0;
  const SweepProgress& progress_;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> ended_{false};
  std::mutex callback_;
};

}  // namespace sotto
