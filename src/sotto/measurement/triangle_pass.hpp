// Triangles of z z' of a tile of rows, rounded to integers and summed: most of the work that wide designs make.
#pragma once

#include <cstddef>

#include "sotto/base/curator_side.hpp"

namespace sotto {

/// Vectors of kTile rows, entry by entry: z[entry * kTile + row], and the number that each row's z z' is multiplied by.
struct TileOuter {
  const double* z;
  const double* scale;
  std::size_t dim;
};

/// Adds to `totals` the triangles (triangle_entries of measurement/regression_rows.hpp) of scale z z', each entry rounded to the nearest
/// integer, halves to even. A row adds nothing when the squares of its integers add up to more than `longest2` or to no number.
/// Entries that count are below 2^51.
/// Checked by tests/measurement/triangle_pass_test.cpp: tiles_are_summed_as_rows_are
/// Checked by tests/measurement/triangle_pass_test.cpp: a_row_that_is_too_long_or_no_number_adds_nothing
void add_triangles(const TileOuter& tile, double longest2, double* totals);

}  // namespace sotto
