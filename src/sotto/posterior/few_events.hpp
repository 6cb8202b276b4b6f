// Levels of which hardly any events, or counts, are left beside the noise.
#pragma once

#include <vector>

#include "sotto/posterior/once_release.hpp"

namespace sotto {

struct FewEvents {
  std::vector<Eigen::Index> levels;  ///< columns of two values where hardly anything is counted
  bool in_first = false;             ///< and of the levels that others are compared with
};

/// Where counts, or events, are few beside the noise and rarer than elsewhere, a line through the score at such small means says too
/// little of how much smaller they may be.
[[nodiscard]] FewEvents find_few_events(const OnceRelease& release);

}  // namespace sotto
