// Who is protected, and against which neighbours.
#pragma once

#include <cstddef>

#include "sotto/base/numbers.hpp"

namespace sotto {

/// All of it is public.
struct PrivacyUnit {
  Adjacency adjacency = Adjacency::substitute;
  std::size_t rows_per_unit = 1;  ///< most rows that one privacy unit holds
  bool is_row = true;  ///< false: a person, also one of at most one row, who may be in the data with more

  /// Neighbours have equally many rows in the file: only where the unit is one row and exchanged.
  [[nodiscard]] bool rows_are_public() const {
    return adjacency == Adjacency::substitute && is_row && rows_per_unit == 1;
  }
};

}  // namespace sotto
