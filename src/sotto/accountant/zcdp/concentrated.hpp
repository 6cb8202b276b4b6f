// Zero-concentrated privacy: costs that add up, and the best known conversions.
#pragma once

#include <optional>

#include "sotto/event/event.hpp"

namespace sotto {

/// Total rho of a composition, rounded up; empty where an event has no proven finite rho.
/// Computes   Gaussian, discrete Gaussian: sensitivity^2 / (2 sigma^2); epsilon-private events: epsilon^2 / 2
/// Source     [CKS20, Theorem 14]; [BS16, Proposition 3.3]
[[nodiscard]] std::optional<double> concentrated_rho(const Event& event, Adjacency adjacency);

/// Smallest delta (epsilon) that rho-zCDP alone proves, rounded up.
/// Computes   delta = min over a > 1 of exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1)
/// Source     [CKS20, Corollary 13]
[[nodiscard]] double concentrated_delta(double rho, double epsilon);
[[nodiscard]] double concentrated_epsilon(double rho, double delta);
/// The same of a composition; what gives something away adds its probability. Empty where an event has no proven finite rho.
[[nodiscard]] std::optional<double> concentrated_delta(const Event& event, Adjacency adjacency,
                                                       double epsilon);
[[nodiscard]] std::optional<double> concentrated_epsilon(const Event& event, Adjacency adjacency,
                                                         double delta);

}  // namespace sotto
