// Composition of privacy loss distributions by exponentially tilted Fourier transforms, with every error
// bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/accountant/pld/discrete_pld.hpp"
#include "sotto/accountant/pld/saddle_point.hpp"

namespace sotto {

/// A loss distribution after multiplication by exp(tilt * loss - log_scale), so that it sums to about 1.
struct TiltedLoss {
  double offset = 0;
  double step = 1;
  std::int64_t first = 0;
  std::vector<double> mass;
  double log_scale = 0;
  double log_error = 0;  ///< bound on the rounding error of log_scale and of the logarithms of all masses
  double infinite = 0;   ///< untilted probability of an infinite loss; upper side only
  double missing = 0;    ///< bound on tilted probability that is absent, or present at a wrong place
  double margin = 0;     ///< bound on how far rounding has moved losses, in steps
  double noise = 0;      ///< bound on the Euclidean norm of the errors of all masses

  [[nodiscard]] double loss(std::size_t i) const {
    return offset + static_cast<double>(first + static_cast<std::int64_t>(i)) * step;
  }
};

[[nodiscard]] TiltedLoss tilted(const DiscretePld& grid, double tilt);

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

/// The same curve or one on the given side of it, on a grid of multiples of `step`. Upper: both masses, P's and Q's, of
/// every loss are kept; lower: the lower polygon. Noise enters the masses outward.
[[nodiscard]] TiltedLoss regrid(const TiltedLoss& loss, double step, double tilt, Side side);

/// Below the sum of independent losses: what an observer knows who is told the sum of the losses rounded to multiples of `step`
/// alone. Coarse steps cost the square of a step, and none makes a part worse than nothing. Nothing where the window
/// has more than `most_points` points.
/// Source     docs/accounting.md, "The grid"
/// Checked by tests/accountant/many_kinds_test.cpp: sums_seen_roughly_lie_below_the_truth
[[nodiscard]] std::optional<TiltedLoss> compose_seen_roughly(const std::vector<TiltedLoss>& parts,
                                                             double step, double tilt, double exponent,
                                                             double most_points);

}  // namespace sotto
