// A count clipped to a range: its mean under the model, and how that moves with the model's mean.
#pragma once

namespace sotto {

/// Counts of mean m and variance m + dispersion m^2: Poisson at dispersion 0, else negative binomial.
struct CountLaw {
  double mean;            ///< > 0
  double dispersion = 0;  ///< >= 0
};

/// exp(predictor), for predictors from -30 to 30 and else as at these ends: beyond every count.
[[nodiscard]] double count_mean(double predictor);

/// P(Y <= k) for integer k; 0 below 0. Always a number in [0, 1].
/// Computes   Q(k + 1, m), or I_{1/(1 + a m)}(1/a, k + 1) for dispersion a
/// Holds      means beyond 10^4 (negative binomial: 10^6) are approximated: absolute error below 10^-6
///            (10^-3); counts as Poisson where a m is below 10^-5 and a below 10^-4
/// Source     [T79] for large means
[[nodiscard]] double cumulative_probability(const CountLaw& law, double k);

struct ClippedCount {
  double mean;   ///< E clip(Y, low, high)
  double slope;  ///< its derivative by m, times m; >= 0
};
/// Computes   E min(Y, t) = m F*(floor t - 1) + t (1 - F(floor t)),  slope = m sum_y p*(y) |[y, y + 1] within [low, high]|,
///            F* and p* those of the law tilted by y: Poisson the same, else mean m (1 + a) and dispersion a / (1 + a)
/// Source     y p(y; m, a) = m p*(y - 1) and d E f(Y) / dm = E*(f(Y + 1) - f(Y))
/// Checked by tests/math/clipped_count_test.cpp: mean_and_slope_are_the_sums
[[nodiscard]] ClippedCount clipped_count(const CountLaw& law, double low, double high);

}  // namespace sotto
