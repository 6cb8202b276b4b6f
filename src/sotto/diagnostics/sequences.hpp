// The draws of one quantity from several chains, and the transformations that diagnostics share.
#pragma once

#include <limits>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/chain/draws.hpp"

namespace sotto {

/// Draws of one parameter: shape (draws, chains). Chains of unequal length are cut to the last draws of each,
/// as many as the shortest has.
[[nodiscard]] Matrix sequences(const Draws& draws, Eigen::Index parameter);

/// All draws of one parameter, chain after chain, nothing cut.
[[nodiscard]] std::vector<double> pooled(const Draws& draws, Eigen::Index parameter);

/// False when a diagnostic has nothing to say about x: not finite, constant, or fewer than four draws a
/// chain.
[[nodiscard]] bool can_be_diagnosed(const Matrix& x);

/// What a diagnostic is where it has nothing to say.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// Each chain cut into its halves: shape (draws / 2, 2 chains). The middle draw of an odd number is dropped.
[[nodiscard]] Matrix split_chains(const Matrix& x);

/// Normal scores of the average ranks over all entries.
/// Computes   z = Phi^-1((r - 3/8) / (S + 1/4)), r the average rank from 1 to S
/// Source     [VGSCB21, equation (14)]
/// Checked by tests/diagnostics/sequences_test.cpp: normal_scores_of_three
[[nodiscard]] Matrix rank_normalise(const Matrix& x);

/// Average rank (from 1) of every entry among all entries; ties share the mean of their ranks.
[[nodiscard]] Matrix average_ranks(const Matrix& x);

/// |x - median of all entries|.
[[nodiscard]] Matrix fold(const Matrix& x);

/// The `probability`-quantile of a sample, interpolated between order statistics; NaN for none.
/// Computes   x_(k) + (h - k) (x_(k+1) - x_(k)), h = (S - 1) p + 1, k = floor(h)
/// Source     [HF96], definition 7
[[nodiscard]] double quantile(std::vector<double> sample, double probability);
/// The same for a sample in rising order, which is not copied.
[[nodiscard]] double quantile_of_sorted(const std::vector<double>& sorted, double probability);

}  // namespace sotto
