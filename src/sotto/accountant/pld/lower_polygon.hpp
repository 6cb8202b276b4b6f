// The largest convex polygon with kinks on a grid that we can show to lie below a privacy curve.
#pragma once

#include <vector>

namespace sotto {

/// The losses of a distribution that are nearest to one point l of a grid: their probability p under P, and the excess
/// p - e^l q over what a loss of exactly l would have. Both may carry a common factor e^(tilt * l).
struct LossBin {
  double mass = 0;
  double excess = 0;
};

/// Masses of the polygon's kinks (with the factor e^(tilt * loss), too), from one step below the first bin to one step
/// above the last. Every bin ends somewhere between its point and the next; an excess may be given too small.
/// Computes   at every grid point the smaller one of the curve's tangents where the bins next to it meet; made convex
/// Source     docs/accounting.md, "The lower polygon"
/// Checked by tests/accountant/discrete_pld_test.cpp: polygons_enclose_the_curve
[[nodiscard]] std::vector<double> lower_polygon(std::vector<LossBin> bins, double step, double tilt);

}  // namespace sotto
