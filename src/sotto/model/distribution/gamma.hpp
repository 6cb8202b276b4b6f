// Values of a gamma distribution whose mean and shape are unknown, as a model of rows and as an exponential family.
#pragma once

#include <algorithm>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/model.hpp"

namespace sotto::distribution {

/// y ~ Gamma(shape, rate = shape / mean) within positive bounds; position: log mean, log shape.
/// Computes   log p(y | at) = shape (log y + log(shape) - log(mean) - y / mean) - log Gamma(shape), up to a term free of the position
/// Checked by tests/model/distribution_test.cpp: gamma_is_the_law_of_its_name, bounds_enclose_every_row_and_are_reached
class Gamma {
 public:
  /// Errors: configuration unless the lower bound is above 0 and the upper one finite.
  explicit Gamma(const Interval& bounds) : bounds_(bounds) {
    if (!(bounds.lower > 0 && std::isfinite(bounds.upper)))
      refuse("a gamma distribution needs a lower bound above 0 and a finite upper one");
  }

  [[nodiscard]] static Eigen::Index dim() { return 2; }
  [[nodiscard]] static std::size_t columns() { return 1; }

  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    return log_density(row[0], at);
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    out[0] = by_log_mean(row[0], at);
    out[1] = by_log_shape(row[0], at);
  }
  /// The ratio is a log y - b y + c of a value y: extreme at an end of the bounds or where y = a / b.
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    const double a = std::exp(to[1]) - std::exp(from[1]);
    const double b = std::exp(to[1] - to[0]) - std::exp(from[1] - from[0]);
    Interval range{0, 0};
    for (const double y : {bounds_.lower, bounds_.upper, within(a / b)}) {
      const double ratio = log_density(y, to) - log_density(y, from);
      range = hull(range, {ratio, ratio});
    }
    return range;
  }
  /// No finite bound where a slope is no number. By the log mean the derivative rises with the value; by the log shape it is largest at the mean, and falls on either side.
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    const auto size = [](double slope) { return std::isfinite(slope) ? std::abs(slope) : HUGE_VAL; };
    Position most = Position::Zero(2);
    for (const double y : {bounds_.lower, bounds_.upper, within(std::exp(at[0]))}) {
      most[0] = std::max(most[0], size(by_log_mean(y, at)));
      most[1] = std::max(most[1], size(by_log_shape(y, at)));
    }
    const double norm = scale.cwiseProduct(most).norm();
    return {norm, 2 * norm};
  }

  // As an ExponentialFamily (model/exponential_family.hpp).
  [[nodiscard]] std::vector<Interval> range() const {
    return {{std::log(bounds_.lower), std::log(bounds_.upper)}, bounds_};
  }
  static void statistic(std::span<const double> row, std::span<double> out) {
    out[0] = std::log(row[0]);
    out[1] = row[0];
  }
  [[nodiscard]] static Position natural(const Position& at) {
    return Position{{std::exp(at[1]), -std::exp(at[1] - at[0])}};
  }
  [[nodiscard]] static double log_normaliser(const Position& at) {
    const double shape = std::exp(at[1]);
    return std::lgamma(shape) - shape * (at[1] - at[0]);
  }

 private:
  // A shape that is no number above 0 may not end a pass: its digamma is no number either.
  using Quiet = boost::math::policies::policy<
      boost::math::policies::domain_error<boost::math::policies::ignore_error>,
      boost::math::policies::pole_error<boost::math::policies::ignore_error>,
      boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

  [[nodiscard]] double within(double value) const {
    return std::isnan(value) ? bounds_.lower : std::clamp(value, bounds_.lower, bounds_.upper);
  }
  [[nodiscard]] double log_density(double value, const Position& at) const {
    const double y = within(value);
    return std::exp(at[1]) * std::log(y) - std::exp(at[1] - at[0]) * y - log_normaliser(at);
  }
  [[nodiscard]] double by_log_mean(double value, const Position& at) const {
    return std::exp(at[1]) * (within(value) * std::exp(-at[0]) - 1);
  }
  [[nodiscard]] double by_log_shape(double value, const Position& at) const {
    const double y = within(value);
    const double shape = std::exp(at[1]);
    return shape *
           (std::log(y) + at[1] - at[0] + 1 - y * std::exp(-at[0]) - boost::math::digamma(shape, Quiet()));
  }

  Interval bounds_;
};

}  // namespace sotto::distribution
