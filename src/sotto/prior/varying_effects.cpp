#include "sotto/prior/varying_effects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr double kSmallest = -7;  // log of tau over its prior's scale
constexpr double kLargest = 4;
constexpr double kWidestStep = 0.2;
constexpr double kTableStep = 0.03;
constexpr int kTablePoints = 801;

/// From where tau's prior has next to nothing to where it has not much.
double first_of_table(double scale) { return 2 * (std::log(scale) - 8); }

}  // namespace

VaryingEffects::VaryingEffects(std::vector<Eigen::Index> columns, double scale)
    : columns_(std::move(columns)), scale_(scale), levels_(static_cast<double>(columns_.size()) + 1) {
  if (columns_.empty() || !(scale > 0) || !std::isfinite(scale)) {
    throw Error(ErrorCode::configuration, "varying effects need two levels and a scale > 0");
  }
  std::vector<double> values, slopes;
  for (int i = 0; i < kTablePoints; ++i) {
    const double squares = std::exp(first_of_table(scale) + i * kTableStep);
    const Grid tau = grid(squares);
    values.push_back(tau.log_total);
    slopes.push_back(-squares / 2 * precision(tau));
  }
  table_.emplace(std::move(values), std::move(slopes), first_of_table(scale), kTableStep);
}

Matrix VaryingEffects::stand_in() const {
  const auto n = static_cast<Eigen::Index>(columns_.size());
  return (Matrix::Identity(n, n) - Matrix::Constant(n, n, 1 / levels_)) / (scale_ * scale_);
}

double VaryingEffects::squares(const Position& at) const {
  const Position b = at(columns_);
  return std::max(b.squaredNorm() - b.sum() * b.sum() / levels_, 0.0);
}

VaryingEffects::Grid VaryingEffects::grid(double squares) const {
  Grid grid;
  grid.step = std::min(kWidestStep, 1 / std::sqrt(2 * levels_));
  std::vector<double> log_weight;
  for (double l = kSmallest; l <= kLargest; l += grid.step) {
    const double log_tau = l + std::log(scale_);
    grid.log_tau.push_back(log_tau);
    log_weight.push_back(-(levels_ - 1) * log_tau - squares / 2 * std::exp(-2 * log_tau) + l -
                         (kFreedom + 1) / 2 * std::log1p(std::exp(2 * l) / kFreedom));
  }
  const double largest = *std::max_element(log_weight.begin(), log_weight.end());
  double sum = 0;
  for (const double weight : log_weight) sum += std::exp(weight - largest);
  grid.log_total = largest + std::log(sum);
  for (const double weight : log_weight) grid.probability.push_back(std::exp(weight - grid.log_total));
  return grid;
}

double VaryingEffects::log_density(const Position& at) const {
  const double of = squares(at);
  const double place = std::log(of) - first_of_table(scale_);
  if (place > 0 && place < (kTablePoints - 1) * kTableStep) return (*table_)(std::log(of));
  return grid(of).log_total;
}

double VaryingEffects::precision(const Grid& tau) {
  double sum = 0;
  for (std::size_t i = 0; i < tau.log_tau.size(); ++i)
    sum += tau.probability[i] * std::exp(-2 * tau.log_tau[i]);
  return sum;
}

void VaryingEffects::add_slope(const Position& at, Position& slope) const {
  const double inverse_square = precision(grid(squares(at)));
  const Position b = at(columns_);
  const double mean = b.sum() / levels_;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    slope[columns_[k]] -= inverse_square * (b[static_cast<Eigen::Index>(k)] - mean);
  }
}

VaryingEffects::Drawn VaryingEffects::draw(const Position& at, ChainRng& rng) const {
  const Grid tau = grid(squares(at));
  const double u = rng.uniform();
  std::size_t i = 0;
  for (double below = tau.probability[0]; below <= u && i + 1 < tau.probability.size(); ++i)
    below += tau.probability[i + 1];
  const double sd = std::exp(tau.log_tau[i] + tau.step * (rng.uniform() - 0.5));
  return {sd, -at(columns_).sum() / levels_ + sd / std::sqrt(levels_) * rng.normal()};
}

}  // namespace sotto
