// What the noise leaves open of a normal model's residuals beyond a clip: a mixture of normals of mean zero, given what was released.
#pragma once

#include <cstdint>

#include "sotto/base/position.hpp"
#include "sotto/posterior/residual_tails.hpp"

namespace sotto {

/// A noisy histogram of absolute residuals, of both signs and of all groups of rows together.
struct ResidualHistogram {
  Position edges{};     ///< ascending, the first 0, the last beyond the largest residual there is
  Position counts{};    ///< one between neighbouring edges
  double variance = 0;  ///< of the noise on each
  double rows = 0;
  double alike = 1;  ///< rows whose residuals may be one another's
};

/// The sum of clip(r, -clip, clip)^2, noisy.
struct ClippedSquares {
  double clip, sum, variance;
};

/// Draws of the mean of (r^2 - clip^2)+ over the rows, from its posterior, those of a chain one after the other; none where `scale` is no scale or there are no two cells.
/// Computes   Metropolis on the shares of normals whose standard deviations lie a factor of sqrt 2 apart, and on a factor that all
///            share. A priori shares are Dirichlet: nearly all rows are of the one whose standard deviation fits the median, and of the
///            others the less likely the farther they are. Those of more than six times it take part only as far as `tails` stand
///            clear of the noise: what it hides farther out is nobody's to say
/// Source     [AM74]: scale mixtures of normals, among them Student's and Laplace's laws
/// Checked by tests/posterior/residual_mixture_test.cpp: hold_what_lies_beyond, leave_normal_residuals_alone
[[nodiscard]] Position squares_beyond(const ResidualHistogram& histogram, const ClippedSquares& squares,
                                      double scale, const ResidualTails& tails, std::uint64_t seed);

}  // namespace sotto
