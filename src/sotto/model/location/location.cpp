#include "sotto/model/location/location.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/location/location_pass.hpp"

namespace sotto {

namespace {

// sup of |offset + map x| over |x_j| <= half_j: attained at a corner, because the norm is convex. Corners are visited in
// the order of the Gray code, one coordinate changing its sign each time; the sums' rounding, below one part in 2^40 of
// the longest, is added. Around zero opposite corners are alike. Above 12 dimensions the sum over coordinates bounds it.
double longest(const Position& offset, const Matrix& map, const Position& half) {
  const Eigen::Index dim = half.size();
  if (dim > 12) return (offset.cwiseAbs() + map.cwiseAbs() * half).norm();
  Matrix flip = 2 * map * half.asDiagonal();  // what the next change of each sign adds
  Position point = offset - map * half;
  double squared = point.squaredNorm();
  const std::uint32_t corners = 1u << (offset.isZero(0) ? dim - 1 : dim);
  for (std::uint32_t corner = 1; corner < corners; ++corner) {
    auto change = flip.col(std::countr_zero(corner));
    point += change;
    change = -change;
    squared = std::fmax(squared, point.squaredNorm());
  }
  return std::sqrt(squared) * (1 + 0x1p-40);
}

std::span<const double> entries(const Position& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

/// Zero stays zero.
double round_up(double x) { return x == 0 ? 0 : std::nextafter(x, std::numeric_limits<double>::infinity()); }

}  // namespace

Position Bend::mean(const Position& position) const {
  Position mean = position;
  if (mean.size() > 1) mean[1] += a * (position[0] - m) * (position[0] - m) + b;
  return mean;
}

Position Bend::position(const Position& mean) const {
  Position position = mean;
  if (position.size() > 1) position[1] -= a * (mean[0] - m) * (mean[0] - m) + b;
  return position;
}

void Bend::pull_back(const Position& position, Position& gradient) const {
  if (gradient.size() > 1) gradient[0] += 2 * a * (position[0] - m) * gradient[1];
}

LocationModel::LocationModel(std::vector<Interval> bounds, Matrix precision, Bend bend)
    : lower_(precision.rows()),
      upper_(precision.rows()),
      center_(precision.rows()),
      half_(precision.rows()),
      precision_(std::move(precision)),
      bend_(bend) {
  if (static_cast<Eigen::Index>(bounds.size()) != precision_.rows() ||
      precision_.rows() != precision_.cols()) {
    throw Error(ErrorCode::configuration, "the precision must be square with one row per column of the data");
  }
  precision_ = ((precision_ + precision_.transpose()) / 2).eval();  // not a rounding away from symmetric
  if (!Cholesky(precision_).is_positive_definite()) {
    throw Error(ErrorCode::configuration, "the covariance of the model must be positive definite");
  }
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    const auto [low, high] = bounds[j];
    if (!(low <= high) || !std::isfinite(high - low)) {
      throw Error(ErrorCode::configuration, "every value of the model needs finite bounds, lower <= upper");
    }
    lower_[k] = low;
    upper_[k] = high;
    center_[k] = low + (high - low) / 2;
    half_[k] = round_up(std::max(high - center_[k], center_[k] - low));
  }
}

std::vector<Interval> LocationModel::bounds() const {
  std::vector<Interval> bounds;
  for (Eigen::Index j = 0; j < dim(); ++j) bounds.push_back({lower_[j], upper_[j]});
  return bounds;
}

// (to - from)' P (x - (from + to) / 2), with the means for positions: linear in x.
LocationModel::Line LocationModel::ratio_line(const Position& from, const Position& to) const {
  const Position before = bend_.mean(from);
  const Position after = bend_.mean(to);
  const Position slope = precision_ * (after - before);
  return {slope, slope.dot(center_ - (before + after) / 2)};
}

Interval LocationModel::ratio_range(const Position& from, const Position& to) const {
  const Line line = ratio_line(from, to);
  const double reach = line.slope.cwiseAbs().dot(half_);
  return {line.at_centre - reach, line.at_centre + reach};
}

VectorBound LocationModel::gradient_bound(const Position& at, const Position& scale) const {
  Matrix map = precision_;
  Matrix sizes = precision_.cwiseAbs();
  if (dim() > 1) {
    const double slope = 2 * bend_.a * (at[0] - bend_.m);
    map.row(0) += slope * precision_.row(1);
    sizes.row(0) += std::abs(slope) * sizes.row(1);
  }
  map = scale.asDiagonal() * map;
  if (!map.allFinite() || !at.allFinite()) return {NAN, NAN};
  const Position offset = center_ - bend_.mean(at);
  // A row's gradient is evaluated in floating point: fewer than dim + 4 roundings of terms whose sizes add up to this.
  const double terms = (scale.cwiseAbs().asDiagonal() * sizes * (offset.cwiseAbs() + half_)).norm();
  const double rounding = static_cast<double>(dim() + 4) * 0x1p-52 * terms;
  const double norm = longest(map * offset, map, half_) + rounding;
  if (norm < 1e-140) return {NAN, NAN};  // its square is not a number to rely on
  // Of a row and of the middle of all rows.
  return {norm, 2 * longest(Position::Zero(dim()), map, half_) + 4 * rounding};
}

void LocationModel::add_ratios(const Rows& rows, std::size_t first, std::size_t count,
                               std::span<const RatioTask> tasks, double scale,
                               std::span<std::int64_t> sums) const {
  for (std::size_t r = 0; r < tasks.size(); ++r) {
    const Line line = ratio_line(*tasks[r].from, *tasks[r].to);
    const Position slope = scale * line.slope;
    sums[r] += location_ratio_pass(rows.tile(first), count,
                                   {.lower = entries(lower_),
                                    .upper = entries(upper_),
                                    .centre = entries(center_),
                                    .slope = entries(slope),
                                    .at_centre = scale * line.at_centre,
                                    .least = static_cast<double>(tasks[r].lower),
                                    .most = static_cast<double>(tasks[r].upper)});
  }
}

void LocationModel::add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                                  std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
  const auto dim = static_cast<std::size_t>(precision_.rows());
  for (std::size_t g = 0; g < tasks.size(); ++g) {
    const GradientTask& task = tasks[g];
    const Position& at = *task.at;
    const Position mean = bend_.mean(at);
    Position middle = Position::Zero(precision_.rows());
    if (task.clip == std::numeric_limits<double>::infinity()) {
      middle = precision_ * (center_ - mean);
      bend_.pull_back(at, middle);
      middle = middle.cwiseProduct(task.factor);
    }
    location_gradient_pass(rows.tile(first), count,
                           {.lower = entries(lower_),
                            .upper = entries(upper_),
                            .mean = entries(mean),
                            .precision = {precision_.data(), dim * dim},
                            .bend = dim > 1 ? 2 * bend_.a * (at[0] - bend_.m) : 0,
                            .factor = entries(task.factor),
                            .middle = entries(middle),
                            .clip = task.clip,
                            .longest = task.longest,
                            .widest = task.widest},
                           sums.subspan(g * dim, dim));
  }
}

}  // namespace sotto
