// The hot loops of the location models: rows -> changes of the log density, or gradients, on the integer grid -> their sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

/// How a row's log density changes between two positions, linear in its values once these lie within their bounds. All of size
/// `lower.size()`, but `at_centre`: the change where every value is `centre`.
struct LocationLine {
  std::span<const double> lower, upper, centre;
  std::span<const double> slope;  ///< in steps of the grid
  double at_centre;               ///< likewise
  double least, most;             ///< integers, least <= 0 <= most
};

/// The sum over `count` tiles (data/rows.hpp), the first at `tile`, of weight times
///   clamp(rint(at_centre + slope' (x - centre)), least, most),   NaN -> 0,
/// x the row's values moved into their bounds, no number -> lower.
/// Holds when count * kTile * max |clamped * weight| < 2^53, so that the integers held in doubles stay exact (the caller's duty).
/// Checked by tests/model/location_test.cpp: ratios_are_those_of_the_density_row_by_row
[[nodiscard]] std::int64_t location_ratio_pass(const double* tile, std::size_t count,
                                               const LocationLine& line);

/// A row's gradient, g = precision (x - mean) with g[0] += bend g[1], shortened to `clip` (none: infinite), times `factor`. Vectors of size
/// dim, the precision of shape (dim, dim), symmetric.
struct LocationGradient {
  std::span<const double> lower, upper, mean, precision;
  double bend;
  std::span<const double> factor;  ///< onto the grid
  std::span<const double>
      middle;  ///< of the row in the middle of the bounds, in steps of the grid; with a clip zeros
  double clip, longest, widest;  ///< as in GradientTask
};

/// Adds to sums[j], of size dim, weight times rint(g_j) of each row, x its values moved into their bounds, no number -> lower. A row whose g
/// is longer than `longest`, farther than half of `widest` from `middle`, or no number adds nothing: what was priced holds whatever rounding
/// made of it.
/// Holds when count * kTile * longest * weight < 2^53 (the caller's duty).
/// Checked by tests/model/location_test.cpp: a_gradient_beyond_what_was_priced_counts_as_none, gradients_are_those_of_the_density_row_by_row
void location_gradient_pass(const double* tile, std::size_t count, const LocationGradient& gradient,
                            std::span<std::int64_t> sums);

}  // namespace sotto
