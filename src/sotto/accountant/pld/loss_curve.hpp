// The privacy curve of a composed loss, read on one side of the truth.
#pragma once

#include <vector>

#include "sotto/accountant/pld/composed_loss.hpp"

namespace sotto {

/// delta(epsilon) of a composed loss, on one side of the truth for every epsilon >= 0.
class LossCurve {
 public:
  LossCurve(const TiltedLoss& loss, double tilt, Side side);
  [[nodiscard]] double delta(double epsilon) const;
  /// Upper side: the smallest epsilon with delta(epsilon) <= target, infinite if there is none; lower side: one with
  /// delta(epsilon) > target, or 0. `guess` steers only.
  [[nodiscard]] double epsilon(double target, double guess) const;

 private:
  [[nodiscard]] double loss(std::size_t i) const { return first_loss_ + step_ * static_cast<double>(i); }

  Side side_;
  double tilt_;
  double log_scale_;
  double log_error_;
  double infinite_;
  double missing_;
  double noise_;
  double first_loss_;
  double step_;
  // Over all losses from l_i up: sums of mass e^(-tilt (l - l_i)), and of that times 1 - e^(l_i - l).
  std::vector<double> mass_above_;
  std::vector<double> excess_above_;
};

}  // namespace sotto
