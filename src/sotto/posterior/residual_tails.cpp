#include "sotto/posterior/residual_tails.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto {
namespace {

constexpr double kClear = 5;          // standard deviations of noise and sampling: far cells weigh much
constexpr double kClearBeside = 1.5;  // likewise, next to a cell that is clear
constexpr double kFromOne = 1;        // cells that tell of skewness begin here, in scales
constexpr double kFromTwo = 2;        // and of tails here
constexpr double kWithinCell = 0.42;  // where a falling density's mean lies

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
  ResidualTails tails;
  bool beside = false;
  for (Eigen::Index j = 0; j + 1 < edges.size(); ++j) {
    if (edges[j] < kFromOne * scale) continue;
    const double expected = rows * normal_share(edges[j] / scale, edges[j + 1] / scale);
    const double both = above[j] + below[j];
    const double difference = above[j] - below[j];
    const double clear =
        (beside ? kClearBeside : kClear) * std::sqrt(2 * variance + std::max(both, 2 * expected));
    TailCell cell{edges[j] + kWithinCell * (edges[j + 1] - edges[j]), 0, 0, 0};
    if (edges[j] >= kFromTwo * scale && both - 2 * expected > clear)
      cell.excess = (both - 2 * expected) / rows;
    if (std::abs(difference) > clear) {
      cell.above = above[j] / rows;
      cell.below = below[j] / rows;
    }
    beside = cell.excess > 0 || cell.above != cell.below;
    if (beside) tails.cells.push_back(cell);
  }
  return tails;
}

}  // namespace sotto
