#include "sotto/mixture/density_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto::mixture {
namespace {

// Interpolated order statistic.
double quantile_of_sorted(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double quantile_of(std::vector<double> values, double probability) {
  const double at = probability * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), below, values.end());
  const auto above = below + 1 < values.end() ? std::min_element(below + 1, values.end()) : below;
  return *below + (at - std::floor(at)) * (*above - *below);
}

Position even_grid(const Interval& interval, Eigen::Index points) {
  return Position::LinSpaced(points, interval.lower, interval.upper);
}

double integral(const Position& grid, const Position& values) {
  const Eigen::Index last = grid.size() - 1;
  const double step = (grid[last] - grid[0]) / static_cast<double>(last);
  return step * (values.sum() - (values[0] + values[last]) / 2);
}

DensityBands density_bands(const Matrix& densities, double level) {
  const Eigen::Index draws = densities.rows();
  const Eigen::Index points = densities.cols();
  if (draws < 2 || !(level > 0 && level < 1)) {
    throw Error(ErrorCode::configuration, "bands need at least two draws and a level in (0, 1)");
  }
  DensityBands bands{densities.colwise().mean().transpose(), Position(points), Position(points),
                     Position(points), Position(points)};
  // The depth of a draw: the smallest rank, from either end, that it has anywhere.
  std::vector<Eigen::Index> depth(draws, draws);
  std::vector<std::vector<double>> sorted(points);
  for (Eigen::Index x = 0; x < points; ++x) {
    std::vector<double>& column = sorted[x];
    column.assign(densities.col(x).data(), densities.col(x).data() + draws);
    std::sort(column.begin(), column.end());
    for (Eigen::Index s = 0; s < draws; ++s) {
      const double value = densities(s, x);
      // Ties count as the innermost rank they could have. Most values are too far inside to matter.
      if (value < column[depth[s] - 1])
        depth[s] = std::upper_bound(column.begin(), column.end(), value) - column.begin();
      if (value > column[draws - depth[s]])
        depth[s] = column.end() - std::lower_bound(column.begin(), column.end(), value);
    }
    bands.lower[x] = quantile_of_sorted(column, (1 - level) / 2);
    bands.upper[x] = quantile_of_sorted(column, (1 + level) / 2);
  }
  std::sort(depth.begin(), depth.end());
  const auto outside = static_cast<std::size_t>((1 - level) * static_cast<double>(draws));
  const Eigen::Index d = depth[std::min<std::size_t>(outside, draws - 1)];
  for (Eigen::Index x = 0; x < points; ++x) {
    const Eigen::Index low = std::min(d - 1, draws - d);
    bands.simultaneous_lower[x] = sorted[x][low];
    bands.simultaneous_upper[x] = sorted[x][draws - 1 - low];
  }
  return bands;
}

double hellinger_distance(const Position& grid, const Position& f, const Position& g) {
  const Position overlap = (f.array().max(0) * g.array().max(0)).sqrt();
  const double scale = std::sqrt(integral(grid, f) * integral(grid, g));
  return scale > 0 ? std::sqrt(std::max(0.0, 1 - integral(grid, overlap) / scale)) : 0;
}

double hellinger_distance(const Position& f, const Position& g) {
  const double overlap = (f.array().max(0) * g.array().max(0)).sqrt().sum();
  const double scale = std::sqrt(f.sum() * g.sum());
  return scale > 0 ? std::sqrt(std::max(0.0, 1 - overlap / scale)) : 0;
}

double relative_width(const Position& lower, const Position& upper, const Position& grid, bool discrete) {
  const Position width = upper - lower;
  return discrete ? width.sum() : integral(grid, width);
}

double relative_width(const Matrix& densities, double level, const Position& grid, bool discrete) {
  Position lower(grid.size());
  Position upper(grid.size());
  for (Eigen::Index x = 0; x < grid.size(); ++x) {
    const std::vector<double> column(densities.col(x).data(), densities.col(x).data() + densities.rows());
    lower[x] = quantile_of(column, (1 - level) / 2);
    upper[x] = quantile_of(column, (1 + level) / 2);
  }
  return relative_width(lower, upper, grid, discrete);
}

}  // namespace sotto::mixture
