#include "sotto/posterior/residual_tails.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace sotto {
namespace {

constexpr double kClearTail = 4;  // standard deviations of noise and sampling, of a normal law
constexpr double kFewRows = 4;  // more than so many: a Poisson count's square root has standard deviation 1/2
constexpr double kTogether = 8.01;    // cells from a size to so many times that
constexpr double kNotEmpty = 2;       // standard deviations of the noise
constexpr double kFrom = 2;           // tails begin here, in scales
constexpr double kWithinCell = 0.42;  // where a falling density's mean lies

/// Share of a standard normal between a and b, one sign.
double normal_share(double a, double b) {
  return (std::erfc(a / std::numbers::sqrt2) - std::erfc(b / std::numbers::sqrt2)) / 2;
}

}  // namespace

double ResidualTails::beyond(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells) sum += cell.size > clip ? cell.excess : 0;
  return sum;
}
double ResidualTails::square(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells) sum += cell.excess * std::pow(std::min(cell.size, clip), 2);
  return sum;
}
double ResidualTails::fourth(double clip) const {
  double sum = 0;
  for (const TailCell& cell : cells) sum += cell.excess * std::pow(std::min(cell.size, clip), 4);
  return sum;
}

ResidualTails find_tails(const Position& edges, const Position& counts, double variance, double rows,
                         double scale, double alike) {
  Position expected(counts.size());
  for (Eigen::Index j = 0; j < counts.size(); ++j) {
    expected[j] = 2 * rows * normal_share(edges[j] / scale, edges[j + 1] / scale);
  }
  const Position excess = counts - expected;
  // A few cells together stand clear of noise in which each alone is lost.
  std::vector<bool> clear(static_cast<std::size_t>(counts.size()));
  for (Eigen::Index j = 0; j < counts.size(); ++j) {
    Eigen::Index cells = 1;
    while (j + cells < counts.size() && edges[j + cells + 1] <= kTogether * edges[j]) ++cells;
    const double sampling = alike * expected.segment(j, cells).sum();
    const double noise = static_cast<double>(cells) * variance;
    if (edges[j] >= kFrom * scale &&
        excess.segment(j, cells).sum() > kClearTail * std::sqrt(noise + sampling) + alike * kFewRows) {
      std::fill_n(clear.begin() + j, cells, true);
    }
  }
  ResidualTails tails;
  for (Eigen::Index j = 0; j < counts.size(); ++j) {
    // Of the cells found, those that are not plainly empty.
    if (!clear[static_cast<std::size_t>(j)] || counts[j] <= kNotEmpty * std::sqrt(variance)) continue;
    tails.cells.push_back({edges[j] + kWithinCell * (edges[j + 1] - edges[j]),
                           std::max(excess[j], 0.0) / rows,
                           (variance + std::max(counts[j], 0.0)) / (rows * rows)});
  }
  return tails;
}

}  // namespace sotto
