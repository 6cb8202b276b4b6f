// The hot loop of the location models: rows -> changes of the log density on the integer grid -> their sum.
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

}  // namespace sotto
