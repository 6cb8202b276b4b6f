#include "sotto/accountant/pld/lower_polygon.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// Merges the topmost bins, at least `count` of them, until their common loss reaches the point they are merged to: only
// then can the polygon end at zero.
void merge_top(std::vector<LossBin>& bins, std::size_t count, double step, double tilt) {
  const double down = std::exp(-tilt * step);
  const auto too_low = [&] {
    return down * bins.back().excess + std::min(bins[bins.size() - 2].excess, 0.0) < 0;
  };
  while (bins.size() > 1 && (count > 0 || too_low())) {
    const LossBin top = bins.back();
    bins.pop_back();
    bins.back().mass += down * top.mass;
    bins.back().excess += down * (top.excess - (top.mass - top.excess) * std::expm1(-step));
    if (count > 0) --count;
  }
}

// Removes kinks of negative mass: the largest convex polygon with kinks on the grid below the given one. False if the
// polygon would have to cross zero between two kinks.
bool make_convex(std::vector<double>& mass, double step, double tilt) {
  std::vector<std::size_t> kept;
  const std::size_t n = mass.size();
  for (std::size_t next = 0; next < n; ++next) {
    while (!kept.empty() && mass[kept.back()] < 0) {
      const std::size_t middle = kept.back();
      kept.pop_back();
      const double deficit = mass[middle];
      mass[middle] = 0;
      const double up = std::exp(tilt * static_cast<double>(next - middle) * step);
      if (kept.empty()) {
        mass[next] += deficit * up;
        continue;
      }
      const std::size_t left = kept.back();
      const double share = std::expm1(-static_cast<double>(middle - left) * step) /
                           std::expm1(-static_cast<double>(next - left) * step);
      mass[next] += deficit * share * up;
      mass[left] += deficit * (1 - share) * std::exp(-tilt * static_cast<double>(middle - left) * step);
    }
    if (mass[next] != 0) kept.push_back(next);
  }
  if (!kept.empty() && mass[kept.back()] < 0) return false;
  for (double& m : mass) m = std::max(m, 0.0);
  return true;
}

// Kinks of the polygon whose value at a grid point is the smaller one of the two tangents' next to it.
std::vector<double> kinks(const std::vector<LossBin>& bins, std::size_t points, double step, double tilt) {
  std::vector<double> mass(points, 0.0);
  const double rise = std::expm1(step);
  const double fall = -std::expm1(-step);
  const double up = std::exp(tilt * step);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].mass == 0 && bins[i].excess == 0) continue;  // most are, where atoms lie far apart
    const double above = std::max(bins[i].excess, 0.0);
    const double below = std::min(bins[i].excess, 0.0);
    mass[i] -= above / rise / up;
    mass[i + 1] += bins[i].mass - bins[i].excess + above / fall - below / rise;
    mass[i + 2] += below / fall * up;
  }
  return mass;
}

}  // namespace

std::vector<double> lower_polygon(std::vector<LossBin> bins, double step, double tilt) {
  const std::size_t points = bins.size() + 2;
  while (!bins.empty() && bins.back().mass == 0) bins.pop_back();
  for (std::size_t merged = 0;; merged = 2 * merged + 1) {
    if (!bins.empty()) merge_top(bins, merged, step, tilt);
    // All of it below the first point: nothing is certain but 0.
    if (bins.empty() || (bins.size() == 1 && bins.front().excess < 0))
      return std::vector<double>(points, 0.0);
    std::vector<double> mass = kinks(bins, points, step, tilt);
    if (make_convex(mass, step, tilt)) return mass;
  }
}

}  // namespace sotto
