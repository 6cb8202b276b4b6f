// What a clip takes off the mean of a normal model's residuals, from released histograms of them.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"

namespace sotto {

/// Moments of b = (b0, b1) given the histogram, in units of the response: residuals beyond a clip have a mean of
/// b0 + b1 e over the rows, e the standardised linear predictor. Of several clips their b stand one below another.
struct ClipBias {
  explicit ClipBias(std::size_t clips);

  Position mean;
  Matrix square;  ///< E b b'

  [[nodiscard]] Matrix covariance() const { return square - mean * mean.transpose(); }
};

/// Noisy counts of the residuals of some rows by size: positive and negative ones between neighbouring edges.
struct ResidualSides {
  Position above, below;
};

/// Skewness is positive less negative residuals of one size. Its law, for all rows or those of small and of large linear
/// predictors each: none; or an amplitude times an exponential of unknown length, each length as likely as another
/// before the counts are seen, the normal parts' place being uncertain too.
class Skewness {
 public:
  Skewness() = default;

  [[nodiscard]] ClipBias bias(const std::vector<double>& clips) const;
  /// Posterior probability that there is skewness.
  [[nodiscard]] double probability() const { return laws_.empty() ? 0 : 1 - laws_.back().weight; }

  /// `edges`: ascending, the first 0; `parts`: all rows, or those whose predictor is below and above its mean; `variance`: of the
  /// counts' noise; `scale`: residuals' standard deviation.
  /// Checked by tests/posterior/skewness_test.cpp: normal_residuals_have_little, what_a_clip_takes_off_is_found
  [[nodiscard]] static Skewness find(const Position& edges, const std::vector<ResidualSides>& parts,
                                     double variance, double rows, double scale);

 private:
  struct Amplitude {
    double mean, variance;  ///< rows beyond where tails begin, positive less negative
  };
  struct Law {
    double weight;  ///< posterior probability
    double length;  ///< of the exponential, in units of the response
    std::vector<Amplitude> parts;
  };
  std::vector<Law> laws_;      ///< no skewness last
  std::vector<double> place_;  ///< of each part: mean of the standardised linear predictor
  double begin_ = 0;           ///< tails begin at this size
  double rows_ = 1;
};

}  // namespace sotto
