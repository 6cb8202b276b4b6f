// One door to all accountants: which bound, for which events.
#pragma once

#include <string>

#include "sotto/accountant/bounds.hpp"
#include "sotto/event/event.hpp"

namespace sotto {

/// Bounds on the smallest delta (epsilon). Only `tight` knows lower bounds; the others report those of
/// `tight` where it supports the events, else 0. Throws Error(usage) with the reason where the accountant
/// cannot prove an answer. `width`: how far apart, relatively, the tight bounds may stay before more effort is made.
[[nodiscard]] Bounds account_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, BoundKind kind,
                                   double width = kUsualWidth);
[[nodiscard]] Bounds account_epsilon(const Event& event, Adjacency adjacency, Delta delta, BoundKind kind,
                                     double width = kUsualWidth);

/// The upper bound alone.
[[nodiscard]] double upper_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, BoundKind kind);
[[nodiscard]] double upper_epsilon(const Event& event, Adjacency adjacency, Delta delta, BoundKind kind);

}  // namespace sotto
