// Who is protected, and against which neighbours.
#pragma once

#include <cstddef>

#include "sotto/base/numbers.hpp"

namespace sotto {

/// All of it is public.
struct PrivacyUnit {
  Adjacency adjacency = Adjacency::substitute;
  std::size_t rows_per_unit = 1;  ///< most rows that one privacy unit holds
};

}  // namespace sotto
