// Exponential families that other models are: normal, Bernoulli, Poisson, a multivariate normal mean (also bent), and linear
// regression by its moments. Those that are models of their own are in model/distribution.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/exponential_family.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {

/// All squares of members of `x`.
[[nodiscard]] inline Interval square(const Interval& x) {
  const double near = x.lower <= 0 && x.upper >= 0 ? 0 : std::fmin(std::abs(x.lower), std::abs(x.upper));
  return {near * near, x.magnitude() * x.magnitude()};
}

/// y ~ Normal(mu, sigma^2), position (mu, log sigma).
struct NormalFamily {
  Interval bounds;  ///< of y
  [[nodiscard]] static Eigen::Index dim() { return 2; }
  [[nodiscard]] static std::size_t columns() { return 1; }
  [[nodiscard]] std::vector<Interval> range() const { return {bounds, square(bounds)}; }
  static void statistic(std::span<const double> row, std::span<double> out) {
    out[0] = row[0];
    out[1] = row[0] * row[0];
  }
  [[nodiscard]] static Position natural(const Position& at) {
    const double precision = std::exp(-2 * at[1]);
    return Position{{at[0] * precision, -precision / 2}};
  }
  [[nodiscard]] static double log_normaliser(const Position& at) {
    return at[0] * at[0] * std::exp(-2 * at[1]) / 2 + at[1];
  }
};

/// y in {0, 1}, a row's last value; position: log odds of 1.
struct BernoulliFamily {
  [[nodiscard]] static Eigen::Index dim() { return 1; }
  [[nodiscard]] static std::size_t columns() { return 1; }
  [[nodiscard]] static std::vector<Interval> range() { return {{0, 1}}; }
  static void statistic(std::span<const double> row, std::span<double> out) { out[0] = row.back(); }
  [[nodiscard]] static Position natural(const Position& at) { return at; }
  [[nodiscard]] static double log_normaliser(const Position& at) {
    return at[0] > 0 ? at[0] + std::log1p(std::exp(-at[0])) : std::log1p(std::exp(at[0]));
  }
};

/// y ~ Poisson(exp(position)), up to a declared largest count; a row's last value.
struct PoissonFamily {
  double largest;
  [[nodiscard]] static Eigen::Index dim() { return 1; }
  [[nodiscard]] static std::size_t columns() { return 1; }
  [[nodiscard]] std::vector<Interval> range() const { return {{0, largest}}; }
  static void statistic(std::span<const double> row, std::span<double> out) { out[0] = row.back(); }
  [[nodiscard]] static Position natural(const Position& at) { return at; }
  [[nodiscard]] static double log_normaliser(const Position& at) { return std::exp(at[0]); }
};

/// A row of normal values with known precision P, its mean a function of the position: natural parameter P mean. The bend
/// of the banana is in the mean alone, so its statistic is the same.
class LocationFamily {
 public:
  explicit LocationFamily(LocationModel model) : model_(std::move(model)) {}
  [[nodiscard]] Eigen::Index dim() const { return model_.dim(); }
  [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(dim()); }
  [[nodiscard]] std::vector<Interval> range() const { return model_.bounds(); }
  static void statistic(std::span<const double> row, std::span<double> out) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = row[j];
  }
  [[nodiscard]] Position natural(const Position& at) const {
    return model_.precision() * model_.bend().mean(at);
  }
  [[nodiscard]] double log_normaliser(const Position& at) const {
    const Position mean = model_.bend().mean(at);
    return mean.dot(model_.precision() * mean) / 2;
  }

 private:
  LocationModel model_;
};

/// y ~ Normal(x' beta, sigma^2) through the moments of (x, y); a row is x then y, the position beta, and log sigma behind
/// it where sigma is unknown. The statistic is the upper triangle of the outer product of a row with itself, without y^2
/// where sigma is known.
struct LinearRegressionFamily {
  std::vector<Interval> bounds;  ///< of each x, then of y
  std::optional<double> sigma = {};
  [[nodiscard]] Eigen::Index dim() const {
    return static_cast<Eigen::Index>(bounds.size()) - (sigma.has_value() ? 1 : 0);
  }
  [[nodiscard]] std::size_t columns() const { return bounds.size(); }
  [[nodiscard]] std::vector<Interval> range() const {
    std::vector<Interval> ranges;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      ranges.push_back(square(bounds[i]));
      for (std::size_t j = i + 1; j < bounds.size(); ++j) ranges.push_back(bounds[i] * bounds[j]);
    }
    if (sigma) ranges.pop_back();
    return ranges;
  }
  static void statistic(std::span<const double> row, std::span<double> out) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = i; j < row.size() && entry < out.size(); ++j) out[entry++] = row[i] * row[j];
    }
  }
  /// -(y - x' beta)^2 / (2 sigma^2) = sum over i <= j of b_i b_j z_i z_j (1/2 on the diagonal) / -sigma^2,
  /// with z = (x, y) and b = (beta, -1).
  [[nodiscard]] Position natural(const Position& at) const {
    const auto size = static_cast<Eigen::Index>(bounds.size());
    Position b(size);
    b << at.head(size - 1), -1;
    const double precision = sigma ? 1 / (*sigma * *sigma) : std::exp(-2 * at[size - 1]);
    Position result(size * (size + 1) / 2);
    Eigen::Index entry = 0;
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index j = i; j < size; ++j) result[entry++] = -precision * b[i] * b[j] * (i == j ? 0.5 : 1);
    }
    return sigma ? Position(result.head(entry - 1)) : result;
  }
  [[nodiscard]] double log_normaliser(const Position& at) const { return sigma ? 0 : at[dim() - 1]; }
};

static_assert(ExponentialFamily<NormalFamily>);
static_assert(ExponentialFamily<BernoulliFamily>);
static_assert(ExponentialFamily<PoissonFamily>);
static_assert(ExponentialFamily<LocationFamily>);
static_assert(ExponentialFamily<LinearRegressionFamily>);

}  // namespace sotto
