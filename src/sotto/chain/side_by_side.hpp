// Chains side by side, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace sotto {

/// Calls one(chain) for each of so many chains, at most `threads` at a time. Errors: the first chain's that failed.
inline void side_by_side(std::size_t chains, std::size_t threads,
                         const std::function<void(std::size_t chain)>& one) {
  std::vector<std::exception_ptr> failures(chains);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t c = next++; c < chains; c = next++) {
      try {
        one(c);
      } catch (...) {
        failures[c] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> team;
    for (std::size_t t = 1; t < std::min(threads, chains); ++t) team.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace sotto
