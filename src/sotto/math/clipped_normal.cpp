#include "sotto/math/clipped_normal.hpp"

#include <cmath>
#include <numbers>

namespace sotto {

ClippedNormal clipped_normal(double h) {
  const double above = std::erfc(h / std::numbers::sqrt2) / 2;
  const double density = std::exp(-h * h / 2) / std::sqrt(2 * std::numbers::pi);
  const double inside = 1 - 2 * above;
  const double h2 = h * h;
  return {inside, inside - 2 * h * density + 2 * h2 * above,
          3 * inside - 2 * density * (h2 * h + 3 * h) + 2 * h2 * h2 * above};
}

}  // namespace sotto
