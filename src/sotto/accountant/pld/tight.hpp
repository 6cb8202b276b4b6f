// The tight accountant: proven bounds on both sides of epsilon and delta for compositions of mixed events.
#pragma once

#include <vector>

#include "sotto/accountant/bounds.hpp"
#include "sotto/event/event.hpp"

namespace sotto {

/// Why the tight accountant cannot take this event under this adjacency; empty if it can.
[[nodiscard]] std::string tight_refusal(const Event& event, Adjacency adjacency);

/// Bounds on the smallest delta (epsilon) at which the composition is private. The lower bound is attained by
/// a mechanism of the described kind; for samples without replacement the two are a proven bracket, not one
/// number. Gaussian releases alone use the closed form, everything else privacy loss distributions on a grid.
/// Where simpler accountants have a smaller upper bound it is theirs; with more than 32 kinds of events only where the bounds
/// are wide, else above theirs by the width at most.
/// Source     docs/accounting.md
/// Checked by tests/accountant/reference_test.cpp: every_tuple_lies_inside_narrow_bounds, tiny_deltas_keep_relative_accuracy
/// Checked by tests/accountant/oracle_test.cpp: lies_inside_the_bounds
/// `width` is the relative distance of the bounds at which no more effort is made; they may stay further apart where nothing
/// finer is known.
[[nodiscard]] Bounds tight_delta(const Event& event, Adjacency adjacency, Epsilon epsilon,
                                 double width = kUsualWidth);
[[nodiscard]] Bounds tight_epsilon(const Event& event, Adjacency adjacency, Delta delta,
                                   double width = kUsualWidth);

/// The upper bound of the loss distributions alone, at the accuracy of a first pass (about 2e-4) or a finer one (some 1e-6).
enum class UpperBound { first, fine };
[[nodiscard]] double tight_delta_upper(const Event& event, Adjacency adjacency, Epsilon epsilon,
                                       UpperBound effort = UpperBound::first);

}  // namespace sotto
