// Warmup of a trajectory's length: as far as pays for itself, learned from released quantities alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/position.hpp"

namespace sotto {

/// Climbs the log of  ChEES / price  in the log of the length, where ChEES is the expected squared jump of
/// the squared distance from the mean, and a trajectory of L leapfrog steps is priced fixed + L * per_step.
/// Computes   d log ChEES / d log length - d log price / d log length, from running averages of
///            change * travelled * (end - mean)' velocity  and  change^2 / 4,
///            change = |end - mean|^2 - |start - mean|^2
/// Source     [HRS21, Section 3]
/// Differs    one chain, averages over its own past instead of over many chains; divided by the price,
///            because privacy is spent per gradient and not per second
/// Checked by tests/kernel/hmc_test.cpp: path_length_grows_where_trajectories_are_too_short
class PathLength {
 public:
  explicit PathLength(double initial) : log_length_(std::log(initial)) {}
  [[nodiscard]] double value() const { return std::exp(log_length_); }

  /// `travelled`: the length that the trajectory had. Positions and velocity in coordinates where the posterior is about as wide in each direction. `share`:
  /// the part of a trajectory's price that grows with its length. The length stays in [least, most].
  void learn(const Position& start, const Position& end, const Position& velocity, const Position& mean,
             double travelled, double acceptance, double share, double least, double most) {
    const double change = (end - mean).squaredNorm() - (start - mean).squaredNorm();
    const double slope = change * travelled * (end - mean).dot(velocity);
    if (!std::isfinite(slope) || !std::isfinite(change)) return;
    slope_ += kMemory * (acceptance * slope - slope_);
    chees_ += kMemory * (acceptance * change * change / 4 - chees_);
    if (!(chees_ > 0)) return;
    log_length_ += kRate * std::clamp(slope_ / chees_ - share, -1.0, 1.0);
    log_length_ = std::clamp(log_length_, std::log(least), std::log(most));
  }

 private:
  static constexpr double kMemory = 0.1;  ///< weight of the newest trajectory in the averages
  static constexpr double kRate = 0.02;  ///< small against kMemory, or the averages lag and the length swings
  double log_length_;
  double slope_ = 0;
  double chees_ = 0;
};

}  // namespace sotto
