// What the owner's passes need of a model: bounds that are public, and contributions that are not.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "sotto/base/curator_side.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// A proven bound on the vector that any legal row contributes.
struct VectorBound {
  double norm = 0;      ///< sup over rows of |v|
  double diameter = 0;  ///< sup over pairs of rows of |v - v'|
};

/// One log-likelihood ratio of a pass: two positions, and the integers its contributions are clamped to.
struct RatioTask {
  const Position* from;
  const Position* to;
  std::int64_t lower, upper;  ///< in grid steps, lower <= 0 <= upper
};

/// One gradient of a pass. Coordinate j of a contribution is the integer next to factor[j] * gradient[j].
struct GradientTask {
  const Position* at;
  Position factor;
  double longest;  ///< what was priced, before rounding: a row's vector is no longer, in these integers
  double
      widest;  ///< likewise: two rows' vectors are no farther apart, but from zero; twice `longest` or less
  double clip = std::numeric_limits<double>::infinity();  ///< gradients are shortened to this norm first;
                                                          ///< see model/clipped.hpp
};

/// A model of rows. The functions of positions alone are public and decide the noise; the others see rows.
///
/// ratio_range(from, to)       encloses log p(row | to) - log p(row | from) over all legal rows, and 0
/// gradient_bound(at, scale)   bounds scale * gradient at `at`, coordinate by coordinate products
/// add_ratios                  adds to sums[r], for every row of the tiles first..first+count and every task r,
///                             the integer clamp(rint(grid log p(row | to)) - rint(grid log p(row | from)),
///                             lower, upper); NaN is 0. Terms of log p that are free of the position may be
///                             left out.
/// add_gradients               adds to sums[g * dim + j] the integer contributions to coordinate j of task g;
///                             each row's vector is within rounding (1/2 a coordinate) of a vector inside the
///                             declared bound
template <class M>
concept Model = requires(const M& model, const Position& position, const Rows& rows,
                         std::span<const RatioTask> ratios, std::span<const GradientTask> gradients,
                         std::span<std::int64_t> sums) {
  { model.dim() } -> std::convertible_to<Eigen::Index>;
  { model.ratio_range(position, position) } -> std::same_as<Interval>;
  { model.gradient_bound(position, position) } -> std::same_as<VectorBound>;
  model.add_ratios(rows, std::size_t{}, std::size_t{}, ratios, double{}, sums);
  model.add_gradients(rows, std::size_t{}, std::size_t{}, gradients, sums);
};

}  // namespace sotto
