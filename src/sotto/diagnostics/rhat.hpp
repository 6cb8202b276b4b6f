// R-hat: do the chains agree with each other?
#pragma once

#include <cstddef>
#include <vector>

#include "sotto/base/position.hpp"

namespace sotto {

/// Potential scale reduction, as it is: no split, no ranks. `x` has shape (draws, chains).
/// Computes   sqrt((B / W + N - 1) / N), B = N var(chain means), W = mean chain variance
/// Source     [VGSCB21, equations (1) to (4)]
[[nodiscard]] double plain_rhat(const Matrix& x);

/// Rank-normalised split R-hat of one parameter: the greater of that for location and that for scale. NaN
/// where `can_be_diagnosed` is false. `x` has shape (draws, chains); one chain is compared with itself by
/// halves.
/// Computes   max(R(z(split x)), R(z(|split x - median|)))
/// Source     [VGSCB21, section 4.1]
/// Checked by tests/diagnostics/reference_test.cpp: rhat_agrees_with_arviz
[[nodiscard]] double rhat(const Matrix& x);

/// Nested R-hat for many short chains in groups; the chains of a group started from one point. NaN when a
/// group is smaller than another, there are fewer than two groups, or all variation is zero. `x` has shape
/// (draws, chains); `group[c]` tells the group of chain c.
/// Computes   sqrt(1 + B / W), B = var(group means), W = mean over groups of (variance of the chain means in
///            the group + mean variance within its chains)
/// Source     [MHSLG24, definition 2.1]
/// Checked by tests/diagnostics/rhat_test.cpp: agrees_with_a_computation_by_hand
[[nodiscard]] double nested_rhat(const Matrix& x, const std::vector<std::size_t>& group);

}  // namespace sotto
