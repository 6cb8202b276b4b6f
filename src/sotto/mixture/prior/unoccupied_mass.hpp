// What a random measure keeps beside its occupied atoms.
#pragma once

#include <cstddef>
#include <limits>

namespace sotto::mixture {

/// Total weight and number of the atoms that no datum has.
struct UnoccupiedMass {
  static constexpr std::size_t kInfinite = std::numeric_limits<std::size_t>::max();
  double mass = 0;
  std::size_t atoms = kInfinite;
};

}  // namespace sotto::mixture
