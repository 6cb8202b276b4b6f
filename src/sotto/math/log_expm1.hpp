// log(e^x - 1), the inverse of log(1 + e^x).
#pragma once

#include <cmath>

namespace sotto {

/// x > 0; -infinity at 0.
[[nodiscard]] inline double log_expm1(double x) {
  return x > 30 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x));
}

}  // namespace sotto
