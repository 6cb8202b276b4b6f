#include "sotto/posterior/residual_tails.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace sotto {
namespace {

constexpr double kClear = 4;           // standard deviations of noise and sampling
constexpr Eigen::Index kTogether = 6;  // cells, from a size to eight times that
constexpr double kNotEmpty = 2;        // standard deviations of the noise
constexpr double kFromOne = 1;         // cells that tell of skewness begin here, in scales
constexpr double kFromTwo = 2;         // and of tails here
constexpr double kWithinCell = 0.42;   // where a falling density's mean lies

/// Share of a standard normal between a and b, one sign.
double normal_share(double a, double b) {
  return (std::erfc(a / std::numbers::sqrt2) - std::erfc(b / std::numbers::sqrt2)) / 2;
}

}  // namespace

double ResidualTails::bias(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells) sum += (cell.above - cell.below) * std::max(cell.size - clip, 0.0);
  return sum;
}
double ResidualTails::beyond(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells) sum += cell.size > clip ? cell.excess : 0;
  return sum;
}
double ResidualTails::square(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells)
    sum += cell.excess * std::min(cell.size, clip) * std::min(cell.size, clip);
  return sum;
}
double ResidualTails::square_beyond(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells) sum += cell.excess * std::max(cell.size * cell.size - clip * clip, 0.0);
  return sum;
}

ResidualTails find_tails(const Position& edges, const Position& above, const Position& below, double variance,
                         double rows, double scale) {
  const Position difference = above - below;
  const Position both = above + below;
  Position expected(both.size());
  for (Eigen::Index j = 0; j < both.size(); ++j) {
    expected[j] = 2 * rows * normal_share(edges[j] / scale, edges[j + 1] / scale);
  }
  // A few cells together stand clear of noise in which each alone is lost.
  const auto clear = [&](const Position& counts, Eigen::Index first, double least) {
    const Eigen::Index cells = std::min(kTogether, counts.size() - first);
    const double noise = 2 * static_cast<double>(cells) * variance;
    const double sampling = std::max(both.segment(first, cells).sum(), expected.segment(first, cells).sum());
    return std::abs(counts.segment(first, cells).sum()) >
               kClear * std::sqrt(noise + std::max(sampling, 0.0)) &&
           edges[first] >= least * scale;
  };
  std::vector<bool> skewed(static_cast<std::size_t>(both.size())), heavy(skewed);
  const Position excess = both - expected;
  for (Eigen::Index j = 0; j < both.size(); ++j) {
    const Eigen::Index end = std::min(j + kTogether, both.size());
    if (clear(difference, j, kFromOne)) std::fill(skewed.begin() + j, skewed.begin() + end, true);
    if (clear(excess, j, kFromTwo) && excess.segment(j, end - j).sum() > 0) {
      std::fill(heavy.begin() + j, heavy.begin() + end, true);
    }
  }
  ResidualTails tails;
  for (Eigen::Index j = 0; j < both.size(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    // Of the cells found, those that are not plainly empty.
    const bool full = both[j] > kNotEmpty * std::sqrt(2 * variance);
    if (!full || (!skewed[k] && !heavy[k])) continue;
    TailCell cell{edges[j] + kWithinCell * (edges[j + 1] - edges[j]), 0, 0, 0};
    if (heavy[k]) cell.excess = std::max(excess[j], 0.0) / rows;
    if (skewed[k]) {
      cell.above = above[j] / rows;
      cell.below = below[j] / rows;
    }
    tails.cells.push_back(cell);
  }
  return tails;
}

}  // namespace sotto
