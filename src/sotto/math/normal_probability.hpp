// The standard normal distribution function.
#pragma once

#include <cmath>
#include <numbers>

namespace sotto {

/// P(Z < x)
[[nodiscard]] inline double normal_probability(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

}  // namespace sotto
