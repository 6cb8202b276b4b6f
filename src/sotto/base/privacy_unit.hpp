// Who is protected, and against which neighbours.
#pragma once

#include <cstddef>

#include "sotto/base/numbers.hpp"

namespace sotto {

/// All of it is public.
struct PrivacyUnit {
  Adjacency adjacency = Adjacency::substitute;
  std::size_t rows_per_unit = 1;  ///< most rows of a design that one privacy unit holds
  bool is_row = true;      ///< false: a person, also one of at most one row, who may be in the data with more
  std::size_t pieces = 1;  ///< rows of a design for each of the table; divides rows_per_unit
  /// Rows of a unit stand side by side (data/rows.hpp), and questions about a regression bound what all of them add up to, or take
  /// their mean, so that a unit counts as one row does.
  bool side_by_side = false;

  /// Most rows of the table that one privacy unit holds.
  [[nodiscard]] std::size_t table_rows() const { return rows_per_unit / pieces; }
  /// Neighbours have equally many rows in the file: only where the unit is one row and exchanged.
  [[nodiscard]] bool rows_are_public() const {
    return adjacency == Adjacency::substitute && is_row && rows_per_unit == 1;
  }
};

}  // namespace sotto
