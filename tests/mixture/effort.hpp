// How much a table of checks does: all of it quickly, or a share of it exhaustively.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace sotto::mixture {

struct Effort {
  int share = 0;
  int shares = 0;  ///< 0: every check, quickly

  [[nodiscard]] bool exhaustive() const { return shares > 0; }
  /// The largest total variation distance. At 0.04 faults in a ratio or a prior show; at 0.005 slight ones too.
  [[nodiscard]] double bound() const { return exhaustive() ? 0.005 : 0.04; }
};

/// From the environment: SOTTO_EXHAUSTIVE=2/8 asks for the checks 2, 10, 18, ... of each test, exhaustively.
inline const Effort& effort() {
  static const Effort found = [] {
    Effort effort;
    if (const char* text = std::getenv("SOTTO_EXHAUSTIVE"))
      if (std::sscanf(text, "%d/%d", &effort.share, &effort.shares) != 2 || effort.shares < 1) std::abort();
    return effort;
  }();
  return found;
}

/// Whether the next check is part of this run. Every test runs in a process of its own, so that it counts from 0.
inline bool next_check_is_ours() {
  static int checks = 0;
  return !effort().exhaustive() || checks++ % effort().shares == effort().share;
}

}  // namespace sotto::mixture
