// A posterior on the line that quadrature knows: a few rows of a unit normal with unknown mean, a hyperbolic secant prior.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/prior/log_prior.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

inline Rows rows_of(const std::vector<double>& values) {
  Rows rows(values.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows.at(i, 0) = values[i];
    rows.weight(i) = 1;
  }
  return rows;
}

/// `count` values around 0.4 inside [-3, 3], the model's declared bounds.
inline std::vector<double> values_on_the_line(std::size_t count) {
  ChainRng rng(99);
  std::vector<double> values(count);
  for (double& value : values) value = std::clamp(0.4 + rng.normal(), -3.0, 3.0);
  return values;
}

inline LocationModel model_on_the_line() { return LocationModel({{-3, 3}}, Matrix::Identity(1, 1)); }

inline LogPrior prior_on_the_line() {
  return {[](const Position& x) { return -std::log(std::cosh(x[0])); },
          [](const Position& x) { return Position::Constant(1, -std::tanh(x[0])).eval(); }};
}

/// The posterior by the trapezoidal rule on a fine grid.
class PosteriorOnTheLine {
 public:
  PosteriorOnTheLine(const std::vector<double>& values, double likelihood_power) {
    double total = 0;
    for (const double value : values) total += value;
    const double precision = likelihood_power * static_cast<double>(values.size());
    const double centre = total / static_cast<double>(values.size());
    const double reach = 12 / std::sqrt(precision);
    for (int i = 0; i <= kCells; ++i) {
      const double x = centre + reach * (2.0 * i / kCells - 1);
      points_.push_back(x);
      density_.push_back(std::exp(-precision * (x - centre) * (x - centre) / 2) / std::cosh(x));
    }
    double mass = 0;
    for (const double p : density_) mass += p;
    for (double& p : density_) p /= mass;
    for (int i = 0; i <= kCells; ++i) mean_ += density_[at(i)] * points_[at(i)];
    double variance = 0;
    for (int i = 0; i <= kCells; ++i) variance += density_[at(i)] * std::pow(points_[at(i)] - mean_, 2);
    sd_ = std::sqrt(variance);
  }

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double sd() const { return sd_; }
  /// E ((x - mean) / sd)^power
  [[nodiscard]] double moment(int power) const {
    double sum = 0;
    for (int i = 0; i <= kCells; ++i)
      sum += density_[at(i)] * std::pow((points_[at(i)] - mean_) / sd_, power);
    return sum;
  }
  /// An exact draw, up to the grid: a cell by its mass, then uniform around its point.
  [[nodiscard]] double draw(ChainRng& rng) const {
    double rest = rng.uniform();
    std::size_t i = 0;
    while (i + 1 < density_.size() && rest > density_[i]) rest -= density_[i++];
    return points_[i] + (points_[1] - points_[0]) * (rng.uniform() - 0.5);
  }
  [[nodiscard]] const std::vector<double>& points() const { return points_; }
  [[nodiscard]] const std::vector<double>& density() const { return density_; }

 private:
  static constexpr int kCells = 4000;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<double> points_, density_;  // mass of each point
  double mean_ = 0;
  double sd_ = 0;
};

}  // namespace sotto
