// Renyi differential privacy: costs per order, their sums, and the best known conversion.
#pragma once

#include <optional>
#include <string>

#include "sotto/event/event.hpp"

namespace sotto {

/// Renyi cost of one step (count is not applied) at a real order > 1, rounded up; infinite where nothing finite
/// is proven at this order. Throws Error(usage) with the reason where nothing is proven at any order.
/// Computes   Gaussian: order * ratio^2 / 2; Laplace, randomised response, pure: closed forms; Poisson-subsampled
///            Gaussian and Laplace under add/remove: binomial sum at integers, an integral between them up to order 20;
///            fixed-size batches: Wang, Balle and Kasiviswanathan's bound at integers. Where nothing else is said, in between on
///            the chord of (order - 1) cost, which is convex
/// Source     [M17], [MTZ19, section 3.3 and theorem 5], [WBK19, Theorems 9 and 27] with sensitivity 2 per clip norm,
///            [HJDH19] = thesis theorem 8 for dp-barker, theorem 9 for subsampled-penalty, docs/barker.md for
///            variance-completed-barker
/// Holds when dp-barker: total noise variance 2, |log ratio| <= sqrt(batch)/rows after tempering, order < batch/5 (E10)
/// Checked by tests/accountant/renyi_test.cpp: costs_match_published_values, subsampled_costs_match_quadrature
[[nodiscard]] double renyi_cost(const Event& event, Adjacency adjacency, double order);

/// Smallest delta (epsilon) over all orders, of what gives nothing away; what gives something away adds its probability.
/// Source     [CKS20, Proposition 12]
[[nodiscard]] double renyi_delta(const Event& event, Adjacency adjacency, double epsilon);
[[nodiscard]] double renyi_epsilon(const Event& event, Adjacency adjacency, double delta);

}  // namespace sotto
