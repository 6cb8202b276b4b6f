// What a channel promises for one privacy unit, and helpers to round promises to the safe side.
#pragma once

#include <cmath>
#include <limits>

#include "sotto/base/error.hpp"
#include "sotto/base/int128.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {

/// Holds for any exchange of one unit's data (adjacency `substitute`). A pure channel has delta 0; a channel
/// calibrated by rho alone has an infinite epsilon here, and its (epsilon, delta) curve follows from rho.
struct Guarantee {
  Epsilon epsilon{std::numeric_limits<double>::infinity()};
  Delta delta{0};
  Rho rho{0};  ///< zero-concentrated privacy
};

/// Computes   epsilon-private implies (epsilon^2 / 2)-zero-concentrated, and the largest epsilon that this allows for rho
/// Source     [BS16, Proposition 1.4]
[[nodiscard]] inline Guarantee pure_guarantee(Epsilon epsilon) {
  const double rho = epsilon.value() * epsilon.value() / 2;
  return {epsilon, Delta(0), Rho(std::nextafter(rho, HUGE_VAL))};
}
[[nodiscard]] inline Epsilon pure_epsilon(Rho rho) {
  return Epsilon(std::sqrt(2 * rho.value()) * (1 - 0x1p-50));
}

/// Noise of scale `numerator / denominator` in grid steps; the density's rate is its inverse.
struct RationalScale {
  Int128 numerator;
  Int128 denominator;
  [[nodiscard]] double value() const {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

/// The smallest scale on a fine raster with sensitivity / scale <= epsilon, proven in spite of rounding.
/// `sensitivity` is an L1 sensitivity in grid steps, below 2^40. Errors: configuration unless 2^-30 <=
/// epsilon <= 2^20.
/// Computes   numerator > sensitivity 2^20 / epsilon, denominator = 2^20
[[nodiscard]] inline RationalScale scale_for(long long sensitivity, Epsilon epsilon) {
  const double e = epsilon.value();
  if (!(e >= 0x1p-30 && e <= 0x1p20)) {
    throw Error(ErrorCode::configuration, "epsilon of one release must lie between 1e-9 and 1e6");
  }
  // The product is exact and the quotient is off by less than 2^-52 of itself.
  const double quotient = static_cast<double>(sensitivity) * 0x1p20 / e;
  return {static_cast<Int128>(quotient * (1 + 0x1p-50)) + 1, Int128{1} << 20};
}

}  // namespace sotto
