// Sums that are never too small.
#pragma once

#include <cmath>
#include <limits>

namespace sotto {

/// a + b, rounded up.
[[nodiscard]] inline double add_up(double a, double b) {
  return b == 0 ? a : std::nextafter(a + b, std::numeric_limits<double>::infinity());
}

}  // namespace sotto
