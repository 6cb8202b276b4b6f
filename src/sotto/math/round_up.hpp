// Sums that are never too small.
#pragma once

#include <cmath>
#include <limits>

namespace sotto {

/// a + b, rounded up.
[[nodiscard]] inline double add_up(double a, double b) {
  return b == 0 ? a : std::nextafter(a + b, std::numeric_limits<double>::infinity());
}

/// The same, and a + b itself where that is a number of its own.
/// Source     Knuth's exact sum, for what rounding to nearest left out
/// Checked by tests/math/round_up_test.cpp: sums_are_the_least_that_are_not_too_small
[[nodiscard]] inline double add_exactly_up(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  const double left_out = (a - (sum - of_b)) + (b - of_b);
  return left_out > 0 ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

}  // namespace sotto
