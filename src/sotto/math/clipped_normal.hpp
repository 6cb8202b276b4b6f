// Moments of a standard normal number that is clipped.
#pragma once

namespace sotto {

/// Of clip(N(0, 1), -h, h): the mean of its slope, which is the probability of no clipping, and its second and fourth moments.
/// Of N(0, s^2) clipped at H: h = H / s, and the moments times s^2 and s^4.
struct ClippedNormal {
  double slope, square, fourth;
};
/// Checked by tests/math/clipped_normal_test.cpp: moments_are_the_integrals
[[nodiscard]] ClippedNormal clipped_normal(double h);

}  // namespace sotto
