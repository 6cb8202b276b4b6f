// The law of Gaussian noise on one bounded number: on a grid for releases, continuous for study.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <string>

#include "sotto/channel/channel.hpp"

namespace sotto {

/// Smallest integer variance, in squared grid steps, of discrete Gaussian noise on a query of this
/// sensitivity (grid steps, at most 2^30) that costs at most `rho`. Errors: configuration when the variance
/// would leave [1, 2^104].
///
/// Computes   ceil(sensitivity^2 / (2 rho))
/// Source     [CKS20, Theorem 4]
/// Checked by tests/channel/gaussian_test.cpp: calibrations_hold
[[nodiscard]] boost::multiprecision::cpp_int gaussian_variance(long long sensitivity, Rho rho);

/// The same for (epsilon, delta), by the tight curve of the continuous Gaussian at epsilon less the discrete
/// slack.
///
/// Computes   the variance v with delta(sensitivity^2 / 2v, epsilon - sensitivity / v) <= delta
/// Source     [BW18, Theorem 8]; slack as in docs/accounting.md
/// Differs    the classic sqrt(2 ln(1.25 / delta)) is not used: for epsilon > 1 it is not private (erratum E27)
/// Checked by tests/channel/gaussian_test.cpp: classic_calibration_fails, calibrations_hold
[[nodiscard]] boost::multiprecision::cpp_int gaussian_variance(long long sensitivity, Epsilon epsilon,
                                                               Delta delta);

/// The law of z = y (clamped, on the grid) + discrete Gaussian noise; any double is a legal y.
///
/// Query       one number, in grid steps
/// Adjacency   substitute
/// Sensitivity `grid.steps()`: the index of a datum is an integer in 0 .. steps, whatever the datum
/// Noise       P(x) proportional to exp(-x^2 / (2 variance)), variance an integer, in squared grid steps
/// Charge      rho = sensitivity^2 / (2 variance); (epsilon, delta) as calibrated
/// Source      [CKS20, Theorem 4]
/// Checked by  tests/channel/gaussian_test.cpp: frequencies_match_the_density, calibrations_hold
class DiscreteGaussianChannel {
 public:
  // The row in the table of channels.
  using Datum = double;
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::array<std::string_view, 4> kKeys = {"lower", "upper", "missing", "steps"};
  static constexpr bool kNeedsDelta = true;
  [[nodiscard]] static DiscreteGaussianChannel make(const ColumnSettings& s, const PrivacyTarget& target,
                                                    std::size_t) {
    const Grid grid({s.lower, s.upper}, s.steps);
    if (target.rho) return {grid, *target.rho};
    return {grid, *target.epsilon, target.delta.value_or(Delta(0))};
  }
  [[nodiscard]] double noise_scale() const { return scale(); }
  [[nodiscard]] std::string noise_in_words() const {
    return fmt::format("Gaussian noise of standard deviation {:.3g}, {:.2g} times the width of the bounds",
                       scale(), scale() / domain().width());
  }
  [[nodiscard]] static std::vector<std::string> stored_names(const std::string& name) { return {name}; }
  [[nodiscard]] static std::size_t records(std::size_t rows) { return rows; }
  [[nodiscard]] Interval reach(std::size_t) const {
    return {domain().lower - 45 * scale(), domain().upper + 45 * scale()};
  }
  [[nodiscard]] std::optional<std::int64_t> whole_number(double z) const { return grid_.whole_steps(z); }
  [[nodiscard]] static std::vector<double> observed(std::vector<double> values) { return values; }

  DiscreteGaussianChannel(Grid grid, Epsilon epsilon, Delta delta);
  DiscreteGaussianChannel(Grid grid, Rho rho);

  [[nodiscard]] double release(double y, CuratorsNoise auto& noise) const {
    return grid_.position(static_cast<double>(grid_.index(y) + noise.gaussian(variance_)));
  }
  /// log q(z | y) up to a constant.
  [[nodiscard]] double log_density(double z, double y) const {
    const double distance = grid_.steps_to(z) - static_cast<double>(grid_.index(y));
    return -distance * distance * half_precision_;
  }
  [[nodiscard]] double initial(double z, ChainRng&) const {
    return std::clamp(z, grid_.domain().lower, grid_.domain().upper);
  }

  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] const Interval& domain() const { return grid_.domain(); }
  [[nodiscard]] double scale() const {
    return std::sqrt(0.5 / half_precision_) * grid_.step();
  }  ///< noise sd, data's units
  [[nodiscard]] const boost::multiprecision::cpp_int& grid_variance() const { return variance_; }
  [[nodiscard]] long long sensitivity() const { return grid_.steps(); }  ///< in grid steps
  [[nodiscard]] Guarantee guarantee() const { return guarantee_; }

 private:
  DiscreteGaussianChannel(Grid grid, const boost::multiprecision::cpp_int& variance, Epsilon epsilon,
                          Delta delta);
  Grid grid_;
  boost::multiprecision::cpp_int variance_;  // in squared grid steps
  double half_precision_;                    // 1 / (2 variance)
  Guarantee guarantee_;
};

/// The continuous limit, z = clamp(y) + N(0, sd^2): its density, and draws for simulation studies, not for
/// releases.
///
/// Computes   sd = sensitivity / sqrt(2 rho), sensitivity = upper - lower, rho from the tight curve or given
/// Source     [BW18, Theorem 8]; [BS16, Proposition 1.6]
class GaussianChannel {
 public:
  GaussianChannel(Interval domain, Epsilon epsilon, Delta delta);
  GaussianChannel(Interval domain, Rho rho);

  [[nodiscard]] double simulate(double y, ChainRng& rng) const { return clamp(y) + scale_ * rng.normal(); }
  [[nodiscard]] double log_density(double z, double y) const {
    const double distance = (z - clamp(y)) / scale_;
    return -distance * distance / 2;
  }
  [[nodiscard]] double initial(double z, ChainRng&) const { return clamp(z); }

  [[nodiscard]] const Interval& domain() const { return domain_; }
  [[nodiscard]] double scale() const { return scale_; }  ///< noise sd
  [[nodiscard]] Guarantee guarantee() const { return guarantee_; }

 private:
  [[nodiscard]] double clamp(double y) const { return std::clamp(y, domain_.lower, domain_.upper); }
  Interval domain_;
  Guarantee guarantee_;
  double scale_;
};

}  // namespace sotto
