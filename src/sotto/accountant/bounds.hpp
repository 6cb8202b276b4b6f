// A number known between two proven bounds.
#pragma once

namespace sotto {

/// lower <= truth <= upper, floating-point error included.
struct Bounds {
  double lower = 0;
  double upper = 0;
};

/// The relative distance of two bounds with which the accountants are content, and the least that can be asked for.
inline constexpr double kUsualWidth = 5e-4;
inline constexpr double kLeastWidth = 1e-7;

}  // namespace sotto
