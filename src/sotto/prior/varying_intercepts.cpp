#include "sotto/prior/varying_intercepts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr double kFreedom = 3;
constexpr double kSmallest = -7;  // log of tau over its prior's scale
constexpr double kLargest = 4;
constexpr double kWidestStep = 0.2;

}  // namespace

VaryingIntercepts::VaryingIntercepts(std::vector<Eigen::Index> columns, double scale)
    : columns_(std::move(columns)), scale_(scale), levels_(static_cast<double>(columns_.size()) + 1) {
  if (columns_.empty() || !(scale > 0) || !std::isfinite(scale)) {
    throw Error(ErrorCode::configuration, "varying intercepts need two levels and a scale > 0");
  }
}

Matrix VaryingIntercepts::stand_in() const {
  const auto n = static_cast<Eigen::Index>(columns_.size());
  return (Matrix::Identity(n, n) - Matrix::Constant(n, n, 1 / levels_)) / (scale_ * scale_);
}

double VaryingIntercepts::squares(const Position& at) const {
  const Position b = at(columns_);
  return std::max(b.squaredNorm() - b.sum() * b.sum() / levels_, 0.0);
}

VaryingIntercepts::Grid VaryingIntercepts::grid(double squares) const {
  Grid grid;
  grid.step = std::min(kWidestStep, 1 / std::sqrt(2 * levels_));
  for (double l = kSmallest; l <= kLargest; l += grid.step) {
    const double log_tau = l + std::log(scale_);
    grid.log_tau.push_back(log_tau);
    grid.log_weight.push_back(-(levels_ - 1) * log_tau - squares / 2 * std::exp(-2 * log_tau) + l -
                              (kFreedom + 1) / 2 * std::log1p(std::exp(2 * l) / kFreedom));
  }
  return grid;
}

double VaryingIntercepts::log_density(const Position& at) const {
  const Grid all = grid(squares(at));
  const double largest = *std::max_element(all.log_weight.begin(), all.log_weight.end());
  double sum = 0;
  for (const double weight : all.log_weight) sum += std::exp(weight - largest);
  return largest + std::log(sum);
}

void VaryingIntercepts::add_slope(const Position& at, Position& slope) const {
  const Grid all = grid(squares(at));
  const double largest = *std::max_element(all.log_weight.begin(), all.log_weight.end());
  double sum = 0;
  double precision = 0;
  for (std::size_t i = 0; i < all.log_tau.size(); ++i) {
    const double weight = std::exp(all.log_weight[i] - largest);
    sum += weight;
    precision += weight * std::exp(-2 * all.log_tau[i]);
  }
  precision /= sum;
  const Position b = at(columns_);
  const double mean = b.sum() / levels_;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    slope[columns_[k]] -= precision * (b[static_cast<Eigen::Index>(k)] - mean);
  }
}

VaryingIntercepts::Drawn VaryingIntercepts::draw(const Position& at, ChainRng& rng) const {
  const Grid all = grid(squares(at));
  const double largest = *std::max_element(all.log_weight.begin(), all.log_weight.end());
  std::vector<double> below;
  double sum = 0;
  for (const double weight : all.log_weight) below.push_back(sum += std::exp(weight - largest));
  const auto i = std::upper_bound(below.begin(), below.end() - 1, rng.uniform() * sum) - below.begin();
  const double sd = std::exp(all.log_tau[static_cast<std::size_t>(i)] + all.step * (rng.uniform() - 0.5));
  return {sd, -at(columns_).sum() / levels_ + sd / std::sqrt(levels_) * rng.normal()};
}

}  // namespace sotto
