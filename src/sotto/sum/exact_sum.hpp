// Many contributions -> one exact integer sum: the same bits for any number of threads.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/curator_side.hpp"
#include "sotto/base/int128.hpp"
#include "sotto/data/rows.hpp"

namespace sotto {

/// A vector of integer sums over rows. Only a mechanism can look inside: it has no noise on it yet.
class ExactSum {
 public:
  explicit ExactSum(std::size_t size) : entries_(size, 0) {}
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void add(std::span<const std::int64_t> part) {
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i] += part[i];
  }
  void add(std::size_t entry, Int128 value) { entries_[entry] += value; }
  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i] += other.entries_[i];
  }
  /// The entries from..from+count as a sum of their own: one query's share of a pass that served several.
  [[nodiscard]] ExactSum part(std::size_t from, std::size_t count) const {
    ExactSum result(count);
    for (std::size_t i = 0; i < count; ++i) result.entries_[i] = entries_[from + i];
    return result;
  }

 private:
  friend class NoiseMechanism;
  friend class ExactSumForTests;
  std::vector<Int128> entries_;
};

/// Contributions of one row must stay below this, in grid steps.
inline constexpr double kLargestContribution = 0x1p49;

/// Inside a run integers are summed in doubles, eight lanes of them: the run's total must stay below 2^53 when
/// no contribution exceeds `largest`.
[[nodiscard]] inline std::size_t tiles_per_run(std::int64_t largest) {
  return std::clamp<std::size_t>(static_cast<std::size_t>((std::int64_t{1} << 49) / largest), 1, kLongestRun);
}

/// Sums over `tiles` tiles: `add(first, count, sums)` adds the contributions of a run of `run` tiles, of the last one what is left,
/// to 64-bit sums. Runs begin at multiples of `run`, whatever the threads. Integer addition is associative, so how the runs are shared
/// among `threads` threads changes no bit.
/// Checked by tests/sum/exact_sum_test.cpp: same_bits_for_any_number_of_threads, runs_begin_at_their_multiples
template <class AddRun>
ExactSum sum_tiles(std::size_t tiles, std::size_t run, std::size_t size, int threads, const AddRun& add) {
  const auto sum_range = [&](const oneapi::tbb::blocked_range<std::size_t>& range, ExactSum sum) {
    std::vector<std::int64_t> part(size);
    for (std::size_t index = range.begin(); index < range.end(); ++index) {
      std::fill(part.begin(), part.end(), 0);
      add(index * run, std::min(run, tiles - index * run), std::span(part));
      sum.add(std::span<const std::int64_t>(part));
    }
    return sum;
  };
  constexpr std::size_t kGrain = 65536;  // tiles times entries: what a thread takes is worth its start
  const oneapi::tbb::blocked_range<std::size_t> all(
      0, (tiles + run - 1) / run, std::max<std::size_t>(kGrain / (run * std::max<std::size_t>(size, 16)), 1));
  // More threads than this process may use would not be had, which the library says on the terminal.
  const int most = oneapi::tbb::info::default_concurrency();
  if (threads == 1 || most == 1) return sum_range(all, ExactSum(size));
  oneapi::tbb::task_arena arena(std::min(threads, most));
  return arena.execute([&] {
    return oneapi::tbb::parallel_reduce(all, ExactSum(size), sum_range,
                                        [](ExactSum left, const ExactSum& right) {
                                          left.add(right);
                                          return left;
                                        });
  });
}

}  // namespace sotto
