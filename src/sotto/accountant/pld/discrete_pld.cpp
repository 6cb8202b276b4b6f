#include "sotto/accountant/pld/discrete_pld.hpp"

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

Range grid_range(const DominatingPair& pair, double offset, double step, TailCut tails) {
  if (pair.has_end_atoms()) {
    const double steps = std::round((pair.max_loss() - offset) / step);
    if (!(steps >= 2 && steps < kMostBins))
      throw Error(ErrorCode::internal, "a Laplace grid needs 2 to 2^24 steps");
    return {0, static_cast<std::int64_t>(steps)};
  }
  const double high = std::min(pair.upper_loss(tails.above), tails.most_loss);
  const double low = std::min(std::max(pair.lower_loss(tails.below), tails.least_loss), high);
  const double first = std::floor((low - offset) / step);
  const double last = std::ceil((high - offset) / step);
  if (!(last - first < kMostBins && std::abs(first) < kMostIndex && std::abs(last) < kMostIndex)) {
    throw Error(ErrorCode::configuration,
                "losses are too large or too small for a grid: change sigma (scale) or lower count");
  }
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)};
}

// Losses of a bin (eps_i, eps_i+1] are split over its ends so that both P- and Q-mass stay: the chord of the
// curve.
DiscretePld upper_grid(const DominatingPair& pair, double offset, double step, TailCut tails) {
  const Range range = grid_range(pair, offset, step, tails);
  DiscretePld grid{offset, step, range.first, std::vector<double>(range.last - range.first + 1, 0.0)};
  DominatingPair::Cut low = pair.cut_below_everything();
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    DominatingPair::Cut here = pair.cut(std::min(grid.loss(i), tails.most_loss));
    if (pair.has_end_atoms() && i == 0) here = pair.cut_above_low_atom();
    if (pair.has_end_atoms() && i + 1 == grid.mass.size()) here = pair.cut_below_high_atom();
    if (i == 0) {
      grid.mass[0] = pair.between(low, here).p;  // everything below moves up
    } else {
      const LossBin bin = excess_over(pair.between(low, here), grid.loss(i - 1), 1);
      const double up = std::clamp(-bin.excess / std::expm1(-step), 0.0, bin.mass);
      grid.mass[i - 1] += bin.mass - up;
      grid.mass[i] += up;
    }
    low = here;
  }
  if (pair.has_end_atoms()) grid.mass.back() += pair.between(low, pair.cut_above_everything()).p;
  const double end = std::min(pair.max_loss(), tails.most_loss);
  if (!pair.has_end_atoms() && grid.loss(grid.mass.size() - 1) < end) {
    const double top = grid.loss(grid.mass.size() - 1);
    const DominatingPair::Cut above = end < pair.max_loss() ? pair.cut(end) : pair.cut_above_everything();
    const LossBin bin = excess_over(pair.between(low, above), top, 1);
    grid.infinite = std::clamp(bin.excess, 0.0, bin.mass) * (1 + 1e-6) + 1e-14 * bin.mass + 1e-300;
    grid.mass.back() += std::max(bin.mass - grid.infinite, 0.0);
  }
  return grid;
}

// Probability falls so fast from one cut to the next that the tangent between two grid points is below zero at the upper.
bool falls_steeply(const DominatingPair::Cut& low, const DominatingPair::Cut& high) {
  const double below = high.tail[0];
  const double above = low.tail[0] < 0 ? low.tail[0] : -0.5;
  return high.loss > 0 && below < 0 && below > 0.4 * above;
}

// Bins around the grid's points, cut at the midpoints; where probability falls steeply, at the next point.
std::vector<LossBin> bins_of(const DominatingPair& pair, const DiscretePld& grid, double most_loss) {
  const auto cut = [&](double loss) { return pair.cut(std::min(loss, most_loss)); };
  const std::size_t n = grid.mass.size();
  const bool atoms = pair.has_end_atoms();
  const bool low_atom = atoms && grid.offset == pair.min_loss();
  std::vector<LossBin> bins(n);
  // What lies below the first bin is dropped: it may only lower the curve.
  const bool bottom = atoms || (grid.first == 0 && pair.anchor() == pair.min_loss());
  DominatingPair::Cut low = bottom ? pair.cut_below_everything() : cut(grid.loss(0) - grid.step / 2);
  for (std::size_t i = 0; i < n; ++i) {
    DominatingPair::Cut high = cut(grid.loss(i) + grid.step / 2);
    if (low_atom && i == 0) {
      high = pair.cut_above_low_atom();
    } else if (atoms && i + 2 == n) {
      high = pair.cut_below_high_atom();
    } else if (!low_atom && falls_steeply(low, high)) {
      high = cut(grid.loss(i + 1));
    }
    if (i + 1 == n) high = most_loss < pair.max_loss() ? pair.cut(most_loss) : pair.cut_above_everything();
    bins[i] = excess_over(pair.between(low, high), grid.loss(i), -1);
    if ((low_atom && i == 0) || (atoms && i + 1 == n)) bins[i].excess = 0;
    low = high;
  }
  return bins;
}

DiscretePld lower_grid(const DominatingPair& pair, double offset, double step, TailCut tails) {
  Range range = grid_range(pair, offset, step, tails);
  // Where losses end, the first or last bin holds all that lies beyond it.
  if (!pair.has_end_atoms() && pair.anchor() == pair.min_loss())
    range.first = std::max<std::int64_t>(range.first, 0);
  if (!pair.has_end_atoms() && pair.anchor() == pair.max_loss())
    range.last = std::min<std::int64_t>(range.last, 0);
  DiscretePld grid{offset, step, range.first, std::vector<double>(range.last - range.first + 1, 0.0)};
  grid.mass = lower_polygon(bins_of(pair, grid, tails.most_loss), step, 0);
  grid.first -= 1;  // kinks may appear one step outside the bins on either side
  return grid;
}

// Mean loss of the bin around a point of the grid; of all that lies beyond, too, where the losses end there.
double bin_mean(const DominatingPair& pair, double offset, double step) {
  const bool bottom = pair.anchor() == pair.min_loss();
  const bool top = pair.anchor() == pair.max_loss();
  const DominatingPair::Cut low = bottom ? pair.cut_below_everything() : pair.cut(offset - step / 2);
  DominatingPair::Cut high = top ? pair.cut_above_everything() : pair.cut(offset + step / 2);
  if (!top && falls_steeply(low, high)) high = pair.cut(offset + step);
  const PairMass mass = pair.between(low, high);
  const double mean = mass.q > 0 && mass.p > 0 ? std::log1p(mass.difference / mass.q) : offset;
  return std::isfinite(mean) ? mean : offset;
}

// Moves the grid so that the mean loss of the bin where probability sits (nearly) in one point is on the grid.
double aligned_offset(const DominatingPair& pair, double step) {
  double offset = pair.anchor();
  const double inward = pair.anchor() == pair.min_loss() ? 1 : pair.anchor() == pair.max_loss() ? -1 : 0;
  if (inward == 0) {
    for (int round = 0; round < 8; ++round) offset = bin_mean(pair, offset, step);
    return offset - 1e-8 * step;
  }
  // From the end of the losses inward.
  double low = offset;
  for (int i = 0; i < 64 && inward * (bin_mean(pair, offset, step) - offset) > 0; ++i) {
    low = offset;
    offset += inward * step / 2;
  }
  for (int i = 0; i < 40; ++i) {
    const double middle = low + (offset - low) / 2;
    (inward * (bin_mean(pair, middle, step) - middle) > 0 ? low : offset) = middle;
  }
  return offset - 1e-8 * step;
}

}  // namespace

LossBin excess_over(const PairMass& mass, double loss, double outward) {
  if (loss > kLargestLoss) return {mass.p, outward > 0 ? mass.p : 0};
  const double weight = std::expm1(loss);
  const double error = mass.difference_error + std::abs(weight) * mass.q_error;
  return {mass.p, mass.difference - weight * mass.q + outward * error};
}

DiscretePld discretise(const DominatingPair& pair, double step, Side side, TailCut tails) {
  double offset = pair.has_end_atoms() ? pair.min_loss() : aligned_offset(pair, step);
  if (side == Side::lower && pair.has_end_atoms() && pair.anchor() == pair.min_loss()) {
    // Much probability sits just above the smallest loss: its mean takes the first point, the largest loss the last.
    const double steps = std::round((pair.max_loss() - pair.min_loss()) / step);
    for (int round = 0; round < 4; ++round) {
      offset = aligned_offset(pair, step);
      step = (pair.max_loss() - offset) / steps;
    }
  }
  DiscretePld grid =
      side == Side::upper ? upper_grid(pair, offset, step, tails) : lower_grid(pair, offset, step, tails);
  grid.margin = kStepMargin;
  return grid;
}

}  // namespace sotto
