// Laplace noise on one bounded number: exact on a grid for releases, continuous for study.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/channel/grid.hpp"
#include "sotto/channel/guarantee.hpp"
#include "sotto/entropy/discrete_laplace.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Releases z = y (clamped, on the grid) + discrete Laplace noise.
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
  DiscreteLaplaceChannel(Grid grid, Epsilon epsilon)
      : grid_(grid), epsilon_(epsilon), scale_(scale_for(grid.steps(), epsilon)), rate_(1 / scale_.value()) {}
  DiscreteLaplaceChannel(Grid grid, Rho rho) : DiscreteLaplaceChannel(grid, pure_epsilon(rho)) {}

  /// One private release; any double is a legal y.
  [[nodiscard]] double sample(double y, EntropySource& entropy) const {
    const Int128 noise = discrete_laplace<Int128>(scale_.numerator, scale_.denominator, entropy);
    return grid_.position(static_cast<double>(grid_.index(y) + noise));
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
  [[nodiscard]] const RationalScale& grid_scale() const { return scale_; }
  [[nodiscard]] long long sensitivity() const { return grid_.steps(); }  ///< in grid steps
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
