// The density of the data as the posterior sees it: mean, bands, and how far it moved from the prior.
#pragma once

#include <cmath>
#include <concepts>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/measure.hpp"

namespace sotto::mixture {

/// `points` equally spaced points of a closed interval, ends included.
[[nodiscard]] Position even_grid(const Interval& interval, Eigen::Index points);

/// An interpolated order statistic of one or more values.
[[nodiscard]] double quantile_of(std::vector<double> values, double probability);

/// The integral of the values over an even grid, by the trapezoid rule.
[[nodiscard]] double integral(const Position& grid, const Position& values);

/// Densities on a domain, which are shown by their averages.
template <class Kernel>
concept HasCells =
    !Kernel::kDiscrete && requires(const Kernel& kernel, const typename Kernel::Parameter& theta) {
  { kernel.cumulative(0.0, theta) } -> std::convertible_to<double>;
};

/// Kernels that have a fast way to add their averages, with a weight, and say whether it is accurate for this atom.
template <class Kernel>
concept AddsCells = HasCells<Kernel> && requires(const Kernel& kernel, const Position& grid,
                                                 const typename Kernel::Parameter& theta, Position& out) {
  { kernel.add_cells(grid, theta, 0.5, out) } -> std::same_as<bool>;
};

/// A kernel's density on an even grid over its domain: the average over the cell about each point, which ends half-way to the next
/// points and at the domain, so that the trapezoid rule finds the area 1 however narrow the kernel. `out` has shape (grid).
///
/// Computes   (F(right) - F(left)) / (right - left). Where F is dear (`kCellsByDensity`), in cells that touch no end of the
///            domain the density at the point, scaled to the probability that is left by the others
template <class Kernel>
void average_density(const Kernel& kernel, const Position& grid, const typename Kernel::Parameter& theta,
                     Eigen::Ref<Position> out) {
  const Eigen::Index last = grid.size() - 1;
  const double step = (grid[last] - grid[0]) / static_cast<double>(last);
  const auto cumulative = [&](double y) { return kernel.cumulative(y, theta); };
  if constexpr (requires { Kernel::kCellsByDensity; }) {
    const double low = cumulative(grid[0] + step / 2);
    const double high = cumulative(grid[last] - step / 2);
    out[0] = low / (step / 2);
    out[last] = (1 - high) / (step / 2);
    for (Eigen::Index x = 1; x < last; ++x) out[x] = std::exp(kernel.log_density(grid[x], theta));
    const double inside = step * out.segment(1, last - 1).sum();
    if (inside > 0.5 * (high - low)) {
      out.segment(1, last - 1) *= (high - low) / inside;
      return;
    }
  }
  double left = 0;
  for (Eigen::Index x = 0; x <= last; ++x) {
    const double right = x < last ? cumulative(grid[x] + step / 2) : 1;
    out[x] = std::fmax(0, right - left) / (x == 0 || x == last ? step / 2 : step);
    left = right;
  }
}

/// The density of P on a grid: sum over atoms of weight * f(x | atom), averaged over the cells of the grid where the kernel has a
/// cumulative distribution function. For counts and categories the grid holds them and the densities are probabilities. `out`
/// has shape (grid).
template <class Kernel>
void density_on_grid(const Kernel& kernel, const MixingMeasure<typename Kernel::Parameter>& measure,
                     const Position& grid, Eigen::Ref<Position> out) {
  using Datum = typename Kernel::Datum;
  out.setZero();
  Position one(grid.size());
  for (std::size_t h = 0; h < measure.atoms.size(); ++h) {
    if constexpr (AddsCells<Kernel>)
      if (kernel.add_cells(grid, measure.atoms[h], measure.weights[h], out)) continue;
    if constexpr (HasCells<Kernel>) {
      average_density(kernel, grid, measure.atoms[h], one);
    } else {
      for (Eigen::Index x = 0; x < grid.size(); ++x)
        one[x] = std::exp(kernel.log_density(static_cast<Datum>(grid[x]), measure.atoms[h]));
    }
    out += measure.weights[h] * one;
  }
}

/// The density of a datum before any release was seen, by `draws` atoms from the base measure. Shape (grid).
template <class Kernel>
Position prior_predictive(const Kernel& kernel, const Position& grid, ChainRng& rng, int draws = 20000) {
  Position density = Position::Zero(grid.size());
  Position one(grid.size());
  MixingMeasure<typename Kernel::Parameter> atom{{1.0}, {kernel.draw_prior(rng)}};
  for (int draw = 0; draw < draws; ++draw) {
    density_on_grid(kernel, atom, grid, one);
    density += one;
    atom.atoms[0] = kernel.draw_prior(rng);
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
/// Checked by tests/mixture/density_estimate_test.cpp: cover_what_they_say
[[nodiscard]] DensityBands density_bands(const Matrix& densities, double level);

/// Width of the pointwise bands relative to the density, on average over the data: the integral of upper - lower, or its sum for
/// counts and categories.
[[nodiscard]] double relative_width(const Position& lower, const Position& upper, const Position& grid,
                                    bool discrete);

/// The same of densities of draws of P, shape (draws, grid), without their bands.
[[nodiscard]] double relative_width(const Matrix& densities, double level, const Position& grid,
                                    bool discrete);

/// Computes   H(f, g) = sqrt(1 - integral of sqrt(f g)), 0 for equal and 1 for disjoint densities on the grid
[[nodiscard]] double hellinger_distance(const Position& grid, const Position& f, const Position& g);

/// The same for probabilities of counts or categories.
[[nodiscard]] double hellinger_distance(const Position& f, const Position& g);

}  // namespace sotto::mixture
