// Advanced composition of (epsilon, delta) guarantees: for comparison with published numbers only.
#pragma once

#include "sotto/event/event.hpp"

namespace sotto {

/// Smallest epsilon that advanced composition proves for one kind of event repeated. Half of delta goes to the
/// composition; Gaussian events get the classic calibration with the other half shared equally. Infinite where the
/// classic calibration does not hold (a single step's epsilon above 1).
/// Computes   sqrt(2 k log(2 / delta)) e + k e (exp(e) - 1), e of one step
/// Source     [DRV10] and the Gaussian mechanism [DR14, Theorem A.1], as in theorem 1 of [Y17] (E20)
[[nodiscard]] double advanced_epsilon(const Event& event, Adjacency adjacency, double delta);
[[nodiscard]] double advanced_delta(const Event& event, Adjacency adjacency, double epsilon);

}  // namespace sotto
