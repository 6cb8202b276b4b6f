// Composition of privacy loss distributions by exponentially tilted Fourier transforms, with every error
// bounded.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accountant/loss_grid.hpp"
#include "sotto/accountant/saddle_point.hpp"

namespace sotto {

/// A loss distribution after multiplication by exp(tilt * loss - log_scale), so that it sums to about 1.
struct TiltedLoss {
  double offset = 0;
  double step = 1;
  std::int64_t first = 0;
  std::vector<double> mass;
  double log_scale = 0;
  double infinite = 0;  ///< untilted probability of an infinite loss; upper side only
  double missing = 0;   ///< bound on tilted probability that is absent, or present at a wrong place

  [[nodiscard]] double loss(std::size_t i) const {
    return offset + static_cast<double>(first + static_cast<std::int64_t>(i)) * step;
  }
};

[[nodiscard]] TiltedLoss tilted(const LossGrid& grid, double tilt);

/// A loss distribution and how often it is composed with itself.
struct TiltedPower {
  TiltedLoss loss;
  std::uint64_t count = 1;
};

/// The distribution of the sum of independent losses on one grid step, restricted to `size` points (a power
/// of two) about the window. Errors of the transform enter the masses outward, what lies outside the window
/// enters `missing`. Computes   inverse transform of prod_e (transform of part e)^count_e Source
/// exponentially tilted FFT accounting [KJH20, GLW21]; error bounds in docs/accounting.md, "Floating point"
/// Checked by tests/accountant/tight_test.cpp
[[nodiscard]] TiltedLoss compose(const std::vector<TiltedPower>& parts, const LossWindow& window,
                                 std::size_t size, double tilt, Side side, bool cut);

/// The same masses on another grid; losses are rounded up or down.
[[nodiscard]] TiltedLoss regrid(const TiltedLoss& loss, double step, double tilt, Side side);

/// delta(epsilon) of a composed loss, on one side of the truth for every epsilon >= 0.
class LossCurve {
 public:
  /// `centre` is the epsilon of interest: the curve is sharp within about 600 / tilt of it, and a mere bound elsewhere.
  LossCurve(const TiltedLoss& loss, double tilt, double centre, Side side);
  [[nodiscard]] double delta(double epsilon) const;
  /// Upper side: the smallest epsilon with delta(epsilon) <= target; lower side: the largest with
  /// delta(epsilon) > target, or 0. `guess`
  /// steers only.
  [[nodiscard]] double epsilon(double target, double guess) const;

 private:
  Side side_;
  double tilt_;
  double centre_;
  double log_scale_;
  double infinite_;
  double missing_;
  std::size_t blind_ = 0;  ///< losses before this index are too far below the centre for doubles
  double first_loss_;
  double step_;
  // Sums over all losses from here up, of mass e^(-tilt (loss - centre)) and of mass e^(-(tilt + 1) (loss -
  // centre)).
  std::vector<double> tail_p_;
  std::vector<double> tail_q_;
};

}  // namespace sotto
