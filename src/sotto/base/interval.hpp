// A closed interval of reals.
#pragma once

#include <algorithm>

namespace sotto {

struct Interval {
  double lower = 0;
  double upper = 0;

  [[nodiscard]] double width() const { return upper - lower; }
  [[nodiscard]] double magnitude() const { return std::max(-lower, upper); }  ///< largest absolute value
  static void fields(auto& of, const auto& visit) { visit("lower", of.lower), visit("upper", of.upper); }
};

/// The smallest interval around both.
[[nodiscard]] inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

/// All products of a member of `a` and a member of `b`.
[[nodiscard]] inline Interval operator*(const Interval& a, const Interval& b) {
  const auto [lower, upper] =
      std::minmax({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
  return {lower, upper};
}

}  // namespace sotto
