// Sensitivities of the weighted score and information: facts about the weights, whatever the model and the
// rows.
#pragma once

#include <cstddef>

#include "sotto/base/numbers.hpp"
#include "sotto/model/model.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// The information vector of a row with weight c, variance v and z = frame x, with Q the information bound:
///   (sqrt(2) or, on the diagonal, 1) c v z_i z_j for i <= j by rows;   s c^2 v |z|^2;   s Q;      s =
///   information_share
[[nodiscard]] constexpr std::size_t information_entries(std::size_t dim) { return dim * (dim + 1) / 2 + 2; }

/// 1 / sqrt(dim): how much of the sensitivity the last two entries take.
[[nodiscard]] double information_share(std::size_t dim);

/// Shapes fit, all numbers are finite, bounds are positive.
[[nodiscard]] bool legal_weighting(const Weighting& weighting, std::size_t dim);

/// Computes   |c (y - mean) z| <= c m |z| <= R, so norm R and diameter 2 R, with R the score bound
/// Source     docs/release-once.md, "Sensitivities"
/// Checked by tests/model/weighted_test.cpp
[[nodiscard]] VectorBound weighted_score_bound(const Weighting& weighting);

/// Computes   norm Q sqrt(1 + 2 s^2), diameter Q sqrt(2 + s^2): c v z z' is positive semidefinite of
/// Frobenius norm at most
///            Q, so two of them differ by at most sqrt(2) Q; the second part lies in [0, s Q]; the third is
///            the same for all rows
/// Source     docs/release-once.md, "Sensitivities"
/// Checked by tests/model/weighted_test.cpp
[[nodiscard]] VectorBound information_bound(const Weighting& weighting, std::size_t dim);

/// What the pass needs: the grid, and the length that no row's integer vector exceeds, rounding included.
[[nodiscard]] WeightedTask weighted_task(const Weighting& weighting, const VectorBound& bound,
                                         std::size_t entries, GridStep grid);

}  // namespace sotto
