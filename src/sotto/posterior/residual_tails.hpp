// What a released histogram of a normal model's residuals says of skewness and long tails, where clips would do harm.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"

namespace sotto {

/// Residuals of one absolute size, as shares of the rows.
struct TailCell {
  double size;          ///< > 0, in units of the response
  double excess;        ///< beyond the normal law, both signs together; >= 0
  double above, below;  ///< positive and negative residuals, where they differ; else 0
};

/// Cells whose counts stand clear of the noise.
struct ResidualTails {
  std::vector<TailCell> cells;

  /// Mean of r - clip(r, -+clip).
  [[nodiscard]] double bias(double clip) const;
  /// What the cells add to the share of rows beyond the clip, and to the mean of clip(r)^2 and of r^2 - clip(r)^2.
  [[nodiscard]] double beyond(double clip) const;
  [[nodiscard]] double square(double clip) const;
  [[nodiscard]] double square_beyond(double clip) const;
};

/// `edges`: ascending, the first 0, of the absolute residual; `above` and `below`: noisy counts of positive and negative ones
/// between neighbouring edges; `variance`: of their noise; `scale`: the residuals' standard deviation.
/// Checked by tests/posterior/residual_tails_test.cpp
[[nodiscard]] ResidualTails find_tails(const Position& edges, const Position& above, const Position& below,
                                       double variance, double rows, double scale);

}  // namespace sotto
