// The law of Laplace noise on one bounded number: on a grid for releases, continuous for study.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "sotto/channel/channel.hpp"

namespace sotto {

/// The law of z = y (clamped, on the grid) + discrete Laplace noise; any double is a legal y.
///
/// Query       one number, in grid steps
/// Adjacency   substitute
/// Sensitivity `grid.steps()`: the index of a datum is an integer in 0 .. steps, whatever the datum
/// Noise       P(x) proportional to exp(-|x| / scale), scale a ratio of integers, in grid steps
/// Charge      epsilon = sensitivity / scale, by the triangle inequality; scale is rounded up
/// Source      [GRS12]; exact sampling [CKS20]
/// Checked by  tests/channel/laplace_test.cpp: privacy_on_every_pair, frequencies_match_the_density
class DiscreteLaplaceChannel {
 public:
  // The row in the table of channels.
  using Datum = double;
  static constexpr std::string_view kName = "laplace";
  static constexpr std::array<std::string_view, 4> kKeys = {"lower", "upper", "missing", "steps"};
  static constexpr bool kNeedsDelta = false;
  [[nodiscard]] static DiscreteLaplaceChannel make(const ColumnSettings& s, const PrivacyTarget& target,
                                                   std::size_t) {
    return {Grid({s.lower, s.upper}, s.steps), target.pure()};
  }
  [[nodiscard]] double noise_scale() const { return scale(); }
  [[nodiscard]] std::string noise_in_words() const {
    const double sd = std::numbers::sqrt2 * scale();
    return fmt::format("Laplace noise of standard deviation {:.3g}, {:.2g} times the width of the bounds", sd,
                       sd / domain().width());
  }
  [[nodiscard]] static std::vector<std::string> stored_names(const std::string& name) { return {name}; }
  [[nodiscard]] static std::size_t records(std::size_t rows) { return rows; }
  [[nodiscard]] Interval reach(std::size_t) const {
    return {domain().lower - 1000 * scale(), domain().upper + 1000 * scale()};
  }
  [[nodiscard]] std::optional<std::int64_t> whole_number(double z) const { return grid_.whole_steps(z); }
  [[nodiscard]] static std::vector<double> observed(std::vector<double> values) { return values; }

  DiscreteLaplaceChannel(Grid grid, Epsilon epsilon)
      : grid_(grid), epsilon_(epsilon), scale_(scale_for(grid.steps(), epsilon)), rate_(1 / scale_.value()) {}
  DiscreteLaplaceChannel(Grid grid, Rho rho) : DiscreteLaplaceChannel(grid, pure_epsilon(rho)) {}

  [[nodiscard]] double release(double y, CuratorsNoise auto& noise) const {
    return grid_.position(static_cast<double>(grid_.index(y) + noise.laplace(scale_)));
  }
  /// log q(z | y) up to a constant.
  [[nodiscard]] double log_density(double z, double y) const {
    return -rate_ * std::abs(grid_.steps_to(z) - static_cast<double>(grid_.index(y)));
  }
  /// Where a sampler of the confidential datum may start: the datum of largest density.
  [[nodiscard]] double initial(double z, ChainRng&) const {
    return std::clamp(z, grid_.domain().lower, grid_.domain().upper);
  }

  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] const Interval& domain() const { return grid_.domain(); }
  [[nodiscard]] double scale() const { return scale_.value() * grid_.step(); }  ///< in the data's units
  [[nodiscard]] long long sensitivity() const { return grid_.steps(); }         ///< in grid steps
  [[nodiscard]] double epsilon() const { return epsilon_.value(); }
  [[nodiscard]] Guarantee guarantee() const { return pure_guarantee(epsilon_); }

 private:
  Grid grid_;
  Epsilon epsilon_;
  RationalScale scale_;
  double rate_;
};

/// The continuous limit, z = clamp(y) + Laplace(scale) noise: its density, and draws for simulation studies.
/// Noise made with floating-point numbers is not private, so it cannot release anything.
///
/// Computes   scale = sensitivity / epsilon, sensitivity = upper - lower
/// Source     [BFR24, section 2.1]
class LaplaceChannel {
 public:
  LaplaceChannel(Interval domain, Epsilon epsilon)
      : domain_(Grid(domain, 1).domain()), epsilon_(epsilon), scale_(domain.width() / epsilon.value()) {
    if (!(scale_ > 0) || !std::isfinite(scale_)) {
      throw Error(ErrorCode::configuration, "the Laplace channel needs a finite epsilon > 0");
    }
  }
  LaplaceChannel(Interval domain, Rho rho) : LaplaceChannel(domain, pure_epsilon(rho)) {}

  [[nodiscard]] double simulate(double y, ChainRng& rng) const {
    const double u = rng.uniform() - 0.5;
    return clamp(y) - scale_ * std::copysign(std::log1p(-2 * std::abs(u)), u);
  }
  [[nodiscard]] double log_density(double z, double y) const { return -std::abs(z - clamp(y)) / scale_; }
  [[nodiscard]] double initial(double z, ChainRng&) const { return clamp(z); }

  [[nodiscard]] const Interval& domain() const { return domain_; }
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] double epsilon() const { return epsilon_.value(); }
  [[nodiscard]] Guarantee guarantee() const { return pure_guarantee(epsilon_); }

 private:
  [[nodiscard]] double clamp(double y) const { return std::clamp(y, domain_.lower, domain_.upper); }
  Interval domain_;
  Epsilon epsilon_;
  double scale_;
};

}  // namespace sotto
