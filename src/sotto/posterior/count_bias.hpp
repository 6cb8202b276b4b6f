// What a clip takes off counts' mean beyond what the law that the score subtracts puts back.
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/count_dispersion.hpp"
#include "sotto/posterior/skewness.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// Counts are clipped at m -+ clip max(1, sqrt(m + planned m^2)), and what negative binomial counts of dispersion `subtracted` would
/// have for a mean is subtracted. Rows of larger means have larger residuals, and less weight.
struct CountClip {
  const StandIn& stand_in;
  const Position& at;
  const BoundsPlan& plan;
  double subtracted;

  /// Where counts have this effect: the mean over the rows, by their weights, of what is missing, and what goes with the
  /// standardised linear predictor.
  [[nodiscard]] Eigen::Vector2d taken_off(double clip, const CountEffect& effect) const;

  /// Likewise the mean of b (1, e) (1, e)', b what a row adds to the score's information, e the standardised linear predictor.
  [[nodiscard]] Eigen::Matrix2d information() const;

  /// Moments over the effects that may hold, of every clip.
  /// Checked by tests/posterior/count_bias_test.cpp: what_log_normal_effects_lose_is_put_back
  [[nodiscard]] ClipBias bias(const std::vector<double>& clips,
                              const std::vector<LikelyEffect>& likely) const;

 private:
  /// Of a function of a row's mean and (1, e).
  template <class Value, class Of>
  [[nodiscard]] Value mean_over_rows(const Of& of) const;
};

}  // namespace sotto
