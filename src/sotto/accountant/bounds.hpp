// A number known between two proven bounds.
#pragma once

namespace sotto {

enum class BoundKind {
  tight,  ///< privacy loss distributions, closed form for Gaussian releases; a simpler one's where that is less
  rdp,    ///< Renyi divergences, best order
  zcdp,      ///< zero-concentrated privacy
  advanced,  ///< advanced composition of (epsilon, delta) guarantees
};

/// lower <= truth <= upper, floating-point error included.
struct Bounds {
  double lower = 0;
  double upper = 0;
  BoundKind by = BoundKind::tight;  ///< whose upper bound it is
};

/// The relative distance of two bounds with which the accountants are content, and the least that can be asked for.
inline constexpr double kUsualWidth = 5e-4;
inline constexpr double kLeastWidth = 1e-7;

}  // namespace sotto
