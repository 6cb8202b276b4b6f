// Values that pile up at a declared bound: they lay beyond it, and were taken as the bound.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// Rows at one end of what is declared.
struct AtBound {
  Eigen::Index column;  ///< of the design; kResponse: of the responses
  bool upper;           ///< which end
  double share;         ///< of the rows, as released
  bool alone =
      false;  ///< half of the way to the other end nothing is next to it: it may be a code and no value
  bool only_ends =
      false;  ///< most rows at the two ends, none seen between: there may be no other values; of amounts, far below their bound

  static constexpr Eigen::Index kResponse = -1;
};

/// Which ends of a histogram's window are ends of what is declared, beyond which values may lie.
struct DeclaredEnds {
  bool lower = true;  ///< false also where values begin at zero, below which there may be none
  bool upper = true;
  bool codes = false;  ///< values may be codes or a scale of few numbers, most of them at the ends by right
};

/// Declared ends of a noisy histogram's window at which rows pile up. `counts`: at the lower end, in bins of equal width, at
/// the upper end; `noise_sd` of each; `rows`: their number, as released. Rows pile up at an end where the two bins next to it are
/// not empty, as they are where the end is a value of its own, and it holds more than either of these or a twentieth of the
/// rows. Told where those bins hide in noise: a clear end of a column of no codes, with rows in the half of the window next to it; a third of the rows at one end and none at the other, and most rows at both. Told as
/// only ends: codes of which most rows are at both, and no bin between stands clear. Told as alone: ends without a row in the half of the
/// window next to them, where the other half has rows between the ends.
/// Checked by tests/posterior/at_bounds_test.cpp: clipped_values_are_told
[[nodiscard]] std::vector<AtBound> at_bounds(Eigen::Index column, const Position& counts, double noise_sd,
                                             double rows, const DeclaredEnds& declared);

/// Likewise of responses, where one row in a hundred is told: what is cut off them moves every coefficient.
[[nodiscard]] std::vector<AtBound> responses_at_bounds(const NoisyVector& counts, double rows,
                                                       bool from_zero);

}  // namespace sotto
