// The density of the data as the posterior sees it: mean, bands, and how far it moved from the prior.
#pragma once

#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/measure.hpp"

namespace sotto::mixture {

/// `points` equally spaced points of a closed interval, ends included.
[[nodiscard]] Position even_grid(const Interval& interval, Eigen::Index points);

/// The integral of the values over an even grid, by the trapezoid rule.
[[nodiscard]] double integral(const Position& grid, const Position& values);

/// The density of P on a grid: sum over atoms of weight * f(x | atom). For counts and categories the grid holds
/// them and the densities are probabilities. `out` has shape (grid).
template <class Kernel>
void density_on_grid(const Kernel& kernel, const MixingMeasure<typename Kernel::Parameter>& measure,
                     const Position& grid, Eigen::Ref<Position> out) {
  using Datum = typename Kernel::Datum;
  out.setZero();
  for (std::size_t h = 0; h < measure.atoms.size(); ++h) {
    for (Eigen::Index x = 0; x < grid.size(); ++x) {
      out[x] +=
          measure.weights[h] * std::exp(kernel.log_density(static_cast<Datum>(grid[x]), measure.atoms[h]));
    }
  }
}

/// The density of a datum before any release was seen, by `draws` atoms from the base measure. Shape (grid).
template <class Kernel>
Position prior_predictive(const Kernel& kernel, const Position& grid, ChainRng& rng, int draws = 20000) {
  using Datum = typename Kernel::Datum;
  Position density = Position::Zero(grid.size());
  for (int draw = 0; draw < draws; ++draw) {
    const typename Kernel::Parameter theta = kernel.draw_prior(rng);
    for (Eigen::Index x = 0; x < grid.size(); ++x)
      density[x] += std::exp(kernel.log_density(static_cast<Datum>(grid[x]), theta));
  }
  return density / draws;
}

/// Draws from the posterior predictive: an atom of P, then a datum from its kernel. Free: it is
/// post-processing.
template <class Kernel>
typename Kernel::Datum draw_predictive(const Kernel& kernel,
                                       const MixingMeasure<typename Kernel::Parameter>& measure,
                                       ChainRng& rng) {
  double at = rng.uniform();
  std::size_t h = 0;
  while (h + 1 < measure.weights.size() && (at -= measure.weights[h]) >= 0) ++h;
  return kernel.draw(measure.atoms[h], rng);
}

/// Per grid point; shapes (grid).
struct DensityBands {
  Position mean;
  Position lower;  ///< pointwise: each point's density is above with posterior probability (1 + level) / 2
  Position upper;
  Position simultaneous_lower;  ///< the whole density lies within with posterior probability `level`
  Position simultaneous_upper;
};

/// Bands from densities of draws of P, shape (draws, grid), at least 2 draws.
///
/// Computes   pointwise: quantiles at (1 -+ level) / 2. Simultaneous: the d-th smallest and largest value at
///            every point, with the largest d such that at least the share `level` of the draws lies wholly
///            within
/// Source     extreme ranks of whole curves [MMGSH17]; no symmetry and no scale is assumed
/// Holds when the draws are of P itself: bands of the mean density given the allocations would be too narrow
/// Checked by tests/mixture/density_estimate_test.cpp
[[nodiscard]] DensityBands density_bands(const Matrix& densities, double level);

/// Width of the pointwise bands relative to the density, on average over the data: the integral of upper - lower, or its sum for
/// counts and categories.
[[nodiscard]] double relative_width(const DensityBands& bands, const Position& grid, bool discrete);

/// Computes   H(f, g) = sqrt(1 - integral of sqrt(f g)), 0 for equal and 1 for disjoint densities on the grid
[[nodiscard]] double hellinger_distance(const Position& grid, const Position& f, const Position& g);

/// The same for probabilities of counts or categories.
[[nodiscard]] double hellinger_distance(const Position& f, const Position& g);

}  // namespace sotto::mixture
