#include "sotto/accountant/loss_grid.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr double kMostBins = 1 << 24;

struct Range {
  std::int64_t first;
  std::int64_t last;
};

Range grid_range(const LossPair& pair, double offset, double step, TailCut tails) {
  if (pair.has_end_atoms()) {
    const double steps = std::round((pair.max_loss() - pair.min_loss()) / step);
    if (!(steps >= 2 && steps < kMostBins))
      throw Error(ErrorCode::internal, "a Laplace grid needs 2 to 2^24 steps");
    return {0, static_cast<std::int64_t>(steps)};
  }
  const double high = pair.upper_loss(tails.above);
  const double low = std::min(std::max(pair.lower_loss(tails.below), tails.least_loss), high);
  const double first = std::floor((low - offset) / step);
  const double last = std::ceil((high - offset) / step);
  if (!(last - first < kMostBins)) {
    throw Error(ErrorCode::configuration,
                "the loss distribution is too wide for its grid: raise sigma or lower count");
  }
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)};
}

// Mass p of a bin and its excess p - e^loss q over what the loss of a grid point allows.
struct Bin {
  double p = 0;
  double excess = 0;
};

Bin bin_at(const PairMass& mass, double loss) {
  return {mass.p, mass.difference - std::expm1(loss) * mass.q};
}

// Losses of a bin (eps_i, eps_i+1] are split over its ends so that both P- and Q-mass stay: the chord of the
// curve.
LossGrid upper_polygon(const LossPair& pair, double offset, double step, TailCut tails) {
  const Range range = grid_range(pair, offset, step, tails);
  LossGrid grid{offset, step, range.first, std::vector<double>(range.last - range.first + 1, 0.0)};
  LossPair::Cut low = pair.cut_below_everything();
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    LossPair::Cut here = pair.cut(grid.loss(i));
    if (pair.has_end_atoms() && i == 0) here = pair.cut_above_low_atom();
    if (pair.has_end_atoms() && i + 1 == grid.mass.size()) here = pair.cut_above_everything();
    if (i == 0) {
      grid.mass[0] = pair.between(low, here).p;  // everything below moves up
    } else {
      const Bin bin = bin_at(pair.between(low, here), grid.loss(i - 1));
      const double up = std::clamp(-bin.excess / std::expm1(-step), 0.0, bin.p);
      grid.mass[i - 1] += bin.p - up;
      grid.mass[i] += up;
    }
    low = here;
  }
  if (!pair.has_end_atoms() && grid.loss(grid.mass.size() - 1) < pair.max_loss()) {
    const double top = grid.loss(grid.mass.size() - 1);
    const Bin bin = bin_at(pair.between(low, pair.cut_above_everything()), top);
    grid.infinite = std::clamp(bin.excess, 0.0, bin.p) * (1 + 1e-6) + 1e-14 * bin.p + 1e-300;
    grid.mass.back() += std::max(bin.p - grid.infinite, 0.0);
  }
  return grid;
}

// Bins around the grid's points, cut at the midpoints. The topmost are merged until their common loss reaches
// the point they are merged to, so that the polygon can end at zero.
std::vector<Bin> midpoint_bins(const LossPair& pair, const LossGrid& grid) {
  const std::size_t n = grid.mass.size();
  std::vector<Bin> bins(n);
  // What lies below the first bin is dropped: it may only lower the curve.
  LossPair::Cut low =
      pair.has_end_atoms() ? pair.cut_below_everything() : pair.cut(grid.loss(0) - grid.step / 2);
  for (std::size_t i = 0; i < n; ++i) {
    LossPair::Cut high = pair.cut(grid.loss(i) + grid.step / 2);
    if (pair.has_end_atoms() && i == 0) high = pair.cut_above_low_atom();
    if (pair.has_end_atoms() && i + 2 == n) high = pair.cut_below_high_atom();
    if (i + 1 == n) high = pair.cut_above_everything();
    bins[i] = bin_at(pair.between(low, high), grid.loss(i));
    if (pair.has_end_atoms() && (i == 0 || i + 1 == n)) bins[i].excess = 0;
    low = high;
  }
  return bins;
}

// Merges the topmost bins, at least `count` of them, until their common loss reaches the point they are merged to: only
// then can the polygon end at zero.
void merge_top(std::vector<Bin>& bins, std::size_t count, double step) {
  const auto too_low = [&] { return bins.back().excess + std::min(bins[bins.size() - 2].excess, 0.0) < 0; };
  while (bins.size() > 1 && (count > 0 || too_low())) {
    const Bin top = bins.back();
    bins.pop_back();
    bins.back().p += top.p;
    bins.back().excess += top.excess - (top.p - top.excess) * std::expm1(-step);
    if (count > 0) --count;
  }
  bins.back().excess = std::max(bins.back().excess, 0.0);
}

// Removes kinks of negative mass: the largest convex polygon with kinks on the grid below the given one. False if the
// polygon would have to cross zero between two kinks.
bool make_convex(std::vector<double>& mass, double step) {
  std::vector<std::size_t> kept;
  const std::size_t n = mass.size();
  for (std::size_t next = 0; next < n; ++next) {
    while (!kept.empty() && mass[kept.back()] < 0) {
      const std::size_t middle = kept.back();
      kept.pop_back();
      const double deficit = mass[middle];
      mass[middle] = 0;
      if (kept.empty()) {
        mass[next] += deficit;
        continue;
      }
      const std::size_t left = kept.back();
      const double share = std::expm1(-static_cast<double>(middle - left) * step) /
                           std::expm1(-static_cast<double>(next - left) * step);
      mass[next] += deficit * share;
      mass[left] += deficit * (1 - share);
    }
    if (mass[next] != 0) kept.push_back(next);
  }
  if (!kept.empty() && mass[kept.back()] < 0) return false;
  for (double& m : mass) m = std::max(m, 0.0);
  return true;
}

// Kinks of the polygon whose value at a grid point is the smaller one of the two tangents' next to it.
std::vector<double> kink_masses(const std::vector<Bin>& bins, double step) {
  std::vector<double> mass(bins.size() + 2, 0.0);
  const double rise = std::expm1(step);
  const double fall = -std::expm1(-step);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double above = std::max(bins[i].excess, 0.0);
    const double below = std::min(bins[i].excess, 0.0);
    mass[i] -= above / rise;
    mass[i + 1] += bins[i].p - bins[i].excess + above / fall - below / rise;
    mass[i + 2] += below / fall;
  }
  return mass;
}

LossGrid lower_polygon(const LossPair& pair, double offset, double step, TailCut tails) {
  const Range range = grid_range(pair, offset, step, tails);
  LossGrid grid{offset, step, range.first, std::vector<double>(range.last - range.first + 1, 0.0)};
  std::vector<Bin> bins = midpoint_bins(pair, grid);
  grid.first -= 1;  // kinks may appear one step outside the bins on either side
  for (std::size_t merged = 0;; merged = 2 * merged + 1) {
    merge_top(bins, merged, step);
    grid.mass = kink_masses(bins, step);
    if (make_convex(grid.mass, step)) return grid;
  }
}

// Moves the grid so that probability that sits (nearly) in one point is on the grid.
double aligned_offset(const LossPair& pair, double step) {
  double offset = pair.anchor();
  for (int round = 0; round < 8; ++round) {
    const PairMass mass = pair.between(pair.cut(offset - step / 2), pair.cut(offset + step / 2));
    if (!(mass.q > 0) || !(mass.p > 0)) break;
    const double next = std::log1p(mass.difference / mass.q);
    if (!std::isfinite(next)) break;
    const bool settled = std::abs(next - offset) < 1e-9 * step;
    offset = next;
    if (settled) break;
  }
  return offset - 1e-8 * step;
}

}  // namespace

LossGrid discretise(const LossPair& pair, double step, Side side, TailCut tails) {
  const double offset = pair.has_end_atoms() ? pair.min_loss() : aligned_offset(pair, step);
  return side == Side::upper ? upper_polygon(pair, offset, step, tails)
                             : lower_polygon(pair, offset, step, tails);
}

}  // namespace sotto
