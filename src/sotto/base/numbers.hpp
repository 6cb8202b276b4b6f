// Strong types for numbers that could be swapped: an Epsilon never stands where a Delta is meant.
#pragma once

#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>

#include "sotto/base/error.hpp"

namespace sotto {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A double with a name. `Tag::check` refuses values the quantity cannot take; NaN never passes.
template <class Tag>
class Number {
 public:
  constexpr explicit Number(double value) : value_(value) {
    if (!Tag::check(value)) throw Error(ErrorCode::configuration, Tag::requirement);
  }
  [[nodiscard]] constexpr double value() const { return value_; }
  friend constexpr auto operator<=>(const Number&, const Number&) = default;

 private:
  double value_;
};

namespace tag {
struct Epsilon {
  static constexpr const char* requirement = "epsilon must be a number >= 0";
  static constexpr bool check(double x) { return x >= 0; }
};
struct Delta {
  static constexpr const char* requirement = "delta must lie in [0, 1]";
  static constexpr bool check(double x) { return x >= 0 && x <= 1; }
};
struct Rho {
  static constexpr const char* requirement = "rho must be a number >= 0";
  static constexpr bool check(double x) { return x >= 0; }
};
struct NoiseMultiplier {
  static constexpr const char* requirement = "the noise multiplier must be a finite number > 0";
  static constexpr bool check(double x) { return x > 0 && x < HUGE_VAL; }
};
struct GridStep {
  static constexpr const char* requirement = "the grid step must be a finite number > 0";
  static constexpr bool check(double x) { return x > 0 && x < HUGE_VAL; }
};
}  // namespace tag

using Epsilon = Number<tag::Epsilon>;  ///< privacy loss bound, in nats
using Delta = Number<tag::Delta>;      ///< probability that the bound fails
using Rho = Number<tag::Rho>;          ///< zero-concentrated privacy loss: sensitivity^2 / (2 variance)
using NoiseMultiplier = Number<tag::NoiseMultiplier>;  ///< noise standard deviation over sensitivity
using GridStep = Number<tag::GridStep>;                ///< width of one step of an integer grid

/// Two data sets are neighbours when one privacy unit is exchanged, or when one is added or removed.
enum class Adjacency { substitute, add_remove };

}  // namespace sotto
