// Averages of a normal density over the cells of an even grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"

namespace sotto::mixture {

/// The average of a normal density over a cell, relative to the density at its middle.
///
/// Computes   1 + sum_{j=1}^4 h^2j He_2j(x) / (2j+1)! for a cell that reaches h standard deviations to either side of x, which the
///            Taylor series of the density integrates to
/// Holds when h <= 1/4: off by less than 1e-8 of the density within 4 standard deviations, by 1e-5 within 8
class CellAverage {
 public:
  explicit CellAverage(double h) {
    const double a = h * h / 6;
    const double b = h * h * h * h / 120;
    const double c = std::pow(h, 6) / 5040;
    const double d = std::pow(h, 8) / 362880;
    constant_ = 1 - a + 3 * b - 15 * c + 105 * d;
    linear_ = a - 6 * b + 45 * c - 420 * d;
    square_ = b - 15 * c + 210 * d;
    cube_ = c - 28 * d;
    fourth_ = d;
  }
  [[nodiscard]] double operator()(double x) const {
    const double u = x * x;
    return constant_ + u * (linear_ + u * (square_ + u * (cube_ + u * fourth_)));
  }

 private:
  double constant_, linear_, square_, cube_, fourth_;
};

/// Whether `add_normal_cells` is accurate: cells of at most half a standard deviation, and the mean at most four from the domain.
[[nodiscard]] inline bool has_fine_cells(double mean, double sd, double step, const Interval& domain) {
  return step <= 0.5 * sd && mean >= domain.lower - 4 * sd && mean <= domain.upper + 4 * sd;
}

/// Adds exp(log_factor) N(mean, sd^2), averaged over the cell about each point of an even grid; the cells of both ends are half
/// as wide. `out` has shape (grid).
///
/// Computes   the density at the middles by its own ratios, exp(-(x + w)^2 / 2) = exp(-x^2 / 2) r, r' = r exp(-w^2), from the point
///            nearest the mean outwards. Nothing is added beyond 37 standard deviations
/// Holds when `has_fine_cells`
/// Checked by tests/mixture/density_estimate_test.cpp: are_differences_of_the_distribution_function
inline void add_normal_cells(double mean, double sd, double log_factor, const Position& grid,
                             Eigen::Ref<Position> out) {
  constexpr double kFar = 37;
  const Eigen::Index last = grid.size() - 1;
  const double step = (grid[last] - grid[0]) / static_cast<double>(last);
  const double w = step / sd;
  const double log_scale = log_factor - std::log(sd * std::sqrt(2 * std::numbers::pi));
  const auto density = [&](double x) { return std::exp(log_scale - 0.5 * x * x); };
  const CellAverage half(w / 4);
  for (const Eigen::Index end : {Eigen::Index{0}, last}) {
    const double x = (grid[end] - mean) / sd + (end == 0 ? w / 4 : -w / 4);
    out[end] += density(x) * half(x);
  }
  if (last < 2) return;
  const CellAverage whole(w / 2);
  const double nearest = std::nearbyint((mean - grid[0]) / step);
  const auto start = static_cast<Eigen::Index>(std::clamp(nearest, 1.0, static_cast<double>(last - 1)));
  const double x0 = (grid[0] - mean) / sd;
  const double ratio = std::exp(-w * w);
  const auto outwards = [&](Eigen::Index from, Eigen::Index end, int direction) {
    double x = x0 + w * static_cast<double>(from);
    double f = density(x);
    double r = std::exp(-w * (direction * x + w / 2));
    const auto reach = static_cast<Eigen::Index>((kFar - direction * x) / w) + 1;
    const Eigen::Index count = std::min((end - from) * direction, reach);
    for (Eigen::Index k = 0; k < count; ++k) {
      x = x0 + w * static_cast<double>(from + direction * k);
      out[from + direction * k] += f * whole(x);
      f *= r;
      r *= ratio;
    }
  };
  outwards(start, last, 1);
  outwards(start - 1, 0, -1);
}

}  // namespace sotto::mixture
