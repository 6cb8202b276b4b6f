// What a released histogram of a normal model's residuals says of long tails.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"

namespace sotto {

/// Residuals of one absolute size, as shares of the rows.
struct TailCell {
  double size;      ///< > 0, in units of the response
  double excess;    ///< beyond the normal law; >= 0
  double variance;  ///< of the excess: noise and sampling
};

/// Cells whose counts stand clear of the noise.
struct ResidualTails {
  std::vector<TailCell> cells;

  /// What the cells add to the share of rows beyond the clip, and to the means of clip(r)^2 and clip(r)^4.
  [[nodiscard]] double beyond(double clip) const;
  [[nodiscard]] double square(double clip) const;
  [[nodiscard]] double fourth(double clip) const;
};

/// `edges`: ascending, the first 0; `counts`: noisy, of absolute residuals between neighbouring edges; `variance`: of their noise;
/// `scale`: the residuals' standard deviation.
/// Checked by tests/posterior/residual_tails_test.cpp: normal_residuals_have_none, rows_beyond_a_clip_are_found, a_dozen_of_few_rows_far_out_are_found
/// `alike`: rows whose residuals may be one another's.
[[nodiscard]] ResidualTails find_tails(const Position& edges, const Position& counts, double variance,
                                       double rows, double scale, double alike = 1);

}  // namespace sotto
