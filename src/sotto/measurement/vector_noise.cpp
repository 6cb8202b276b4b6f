#include "sotto/measurement/vector_noise.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {

std::optional<GaussianNoise> vector_noise(const VectorBound& bound, std::size_t entries,
                                          const PrivacyUnit& unit, Rho cost, std::size_t together) {
  const double diameter = std::max(bound.diameter, bound.norm);  // a row that is left out contributes zero
  if (!(bound.norm >= kLeastNorm) || !std::isfinite(diameter)) return std::nullopt;
  if (together == 0 || unit.rows_per_unit % together != 0) return std::nullopt;
  GaussianNoise noise;
  noise.entries = entries;
  noise.grid = GridStep(std::ldexp(1.0, std::ilogb(bound.norm) - 29));  // every entry is below 2^30 steps
  const double rows_together =
      (unit.adjacency == Adjacency::substitute ? diameter : bound.norm) / noise.grid.value() * (1 + 0x1p-40) +
      static_cast<double>(together) * std::sqrt(static_cast<double>(entries));
  noise.sensitivity = static_cast<double>(unit.rows_per_unit / together) * rows_together;
  const auto variance = GaussianNoise::variance_for(noise.sensitivity, cost, 1);
  if (!variance) return std::nullopt;
  noise.variance = *variance;
  return noise;
}

}  // namespace sotto
