// The large losses of one step, in bins of about constant relative width, and sums of such losses.
#pragma once

#include <vector>

#include "sotto/accountant/pld/discrete_pld.hpp"

namespace sotto {

/// A measure on increasing losses, read like a DiscretePld's as a privacy curve.
struct LargeLosses {
  std::vector<double> loss;
  std::vector<double> mass;
  double infinite = 0;  ///< upper side only

  [[nodiscard]] double total() const;
};

/// Where bins end: `points` losses from `low` > 0 to `high`, equally spaced in log(e^loss - 1).
[[nodiscard]] std::vector<double> bin_ends(double low, double high, std::size_t points);

/// The outputs of a pair with losses in (ends.front(), infinity), on the given side of their curve.
/// Computes   upper: every bin split over its ends, P- and Q-mass kept; lower: every bin as one output, which its
///            observer cannot tell apart any more. Relative errors: 1e-9 of masses, 1e-11 of losses
/// Source     docs/accounting.md, "Rare large losses"
/// Checked by tests/accountant/large_loss_convolution_test.cpp: needs_rare_large_losses
[[nodiscard]] LargeLosses large_losses(const DominatingPair& pair, const std::vector<double>& ends,
                                       Side side);

/// The sum of two independent losses, in bins in the same way.
[[nodiscard]] LargeLosses sum_of(const LargeLosses& a, const LargeLosses& b, const std::vector<double>& ends,
                                 Side side);

}  // namespace sotto
