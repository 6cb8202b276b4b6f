// Loss distributions multiplied by an exponential, on grids of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accountant/pld/discrete_pld.hpp"

namespace sotto {

inline constexpr double kGridMargin = 1e-9;  ///< of a step, for the rounding of losses that are put on a grid

/// A loss distribution after multiplication by exp(tilt * loss - log_scale), so that it sums to about 1.
struct TiltedLoss {
  double offset = 0;
  double step = 1;
  std::int64_t first = 0;
  std::vector<double> mass;
  double log_scale = 0;
  double log_error = 0;  ///< bound on the rounding error of log_scale and of the logarithms of all masses
  double infinite = 0;   ///< untilted probability of an infinite loss; upper side only
  double missing = 0;    ///< bound on tilted probability that is absent, or present at a wrong place
  double margin = 0;     ///< bound on how far rounding has moved losses, in steps
  double noise = 0;      ///< bound on the Euclidean norm of the errors of all masses

  [[nodiscard]] double loss(std::size_t i) const {
    return offset + static_cast<double>(first + static_cast<std::int64_t>(i)) * step;
  }
};

[[nodiscard]] TiltedLoss tilted(const DiscretePld& grid, double tilt);

/// The same curve or one on the given side of it, on a grid of multiples of `step`. Upper: both masses, P's and Q's, of
/// every loss are kept; lower: the lower polygon. Noise enters the masses outward.
[[nodiscard]] TiltedLoss regrid(const TiltedLoss& loss, double step, double tilt, Side side);

/// A loss and its tilted mass.
struct LossAtom {
  double loss;
  double mass;
};
/// Sets first and mass, at the offset and step that `out` has: the lower polygon of the atoms, each at the nearest point of the grid.
void take_to_grid(TiltedLoss& out, const std::vector<LossAtom>& atoms, double tilt);

}  // namespace sotto
