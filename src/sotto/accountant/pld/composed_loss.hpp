// Composition of privacy loss distributions by exponentially tilted Fourier transforms, with every error
// bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/accountant/pld/saddle_point.hpp"
#include "sotto/accountant/pld/tilted_loss.hpp"

namespace sotto {

/// A loss distribution and how often it is composed with itself.
struct TiltedPower {
  TiltedLoss loss;
  std::uint64_t count = 1;
};

/// The distribution of the sum of independent losses on one grid step, restricted to a window outside of which lies a
/// tilted probability of about e^-exponent. Errors of the transform are in `noise`, what lies outside the window in
/// `missing`; the parts must have no noise. Nothing if the window has more than `most_points` points.
/// Computes   inverse transform of prod_e (transform of part e)^count_e
/// Source     exponentially tilted FFT accounting [KJH20, GLW21]; error bounds in docs/accounting.md, "Composition and
///            floating point"
/// Checked by tests/accountant/oracle_test.cpp: lies_inside_the_bounds
/// Checked by tests/accountant/reference_test.cpp: tiny_deltas_keep_relative_accuracy
[[nodiscard]] std::optional<TiltedLoss> compose(const std::vector<TiltedPower>& parts, double tilt,
                                                double exponent, double most_points, Side side);

/// Below the sum of independent losses: what an observer knows who is told the sum of the losses rounded to multiples of `step`
/// alone. Coarse steps cost the square of a step, and none makes a part worse than nothing. Nothing where the window
/// has more than `most_points` points.
/// Source     docs/accounting.md, "The grid"
/// Checked by tests/accountant/many_kinds_test.cpp: sums_seen_roughly_lie_below_the_truth
[[nodiscard]] std::optional<TiltedLoss> compose_seen_roughly(const std::vector<TiltedLoss>& parts,
                                                             double step, double tilt, double exponent,
                                                             double most_points);

}  // namespace sotto
