// Calibration: how often, or with how little noise, a mechanism may run within a budget. Never overshoots.
#pragma once

#include <cstdint>

#include "sotto/accountant/account.hpp"

namespace sotto {

/// What the calibrated releases must fit.
struct Target {
  Epsilon epsilon;
  Delta delta;
  Adjacency adjacency = Adjacency::substitute;
  BoundKind kind = BoundKind::tight;
  Event others{CompositionEvent{}, 1};  ///< composed with the calibrated mechanism
};

inline constexpr std::uint64_t kMostCount = 1ULL << 50;
/// Largest count of `mechanism` (its own count is not used) whose upper bound fits; kMostCount where no smaller one fails.
[[nodiscard]] std::uint64_t largest_count(const Event& mechanism, const Target& target);

/// Smallest sigma (scale, tau) of `mechanism`, in units of its sensitivity or clip norm, whose upper bound
/// fits; within 1e-6 relative of the smallest, from above. Throws Error(usage) if the mechanism has no noise
/// scale or nothing fits.
[[nodiscard]] double smallest_noise(const Event& mechanism, const Target& target);

}  // namespace sotto
