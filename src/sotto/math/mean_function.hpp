// Mean functions of generalised linear models, and their averages over a normal linear predictor.
#pragma once

#include <array>

namespace sotto {

/// log: counts; log_rate: events in a time at risk, whose mean given the time is as of counts.
enum class Link { logit, log, identity, log_rate };

/// Whether a link's residuals have no bound but a clip's.
[[nodiscard]] constexpr bool clips(Link link) { return link == Link::log || link == Link::identity; }

/// The mean of a response given its linear predictor, in the unit of the score: E y / dispersion.
struct MeanFunction {
  Link link = Link::logit;
  double precision = 1;  ///< 1 / sigma^2 for a normal response, else 1

  /// Entry k is E f^(k)(eta) for k = 0..3 where eta is normal with this mean and variance >= 0: f itself, then its
  /// derivatives. The first derivative is also the variance of the response, since all links are canonical.
  /// Computes   closed forms for log and identity; the trapezoidal rule for logit (f itself within 1e-6 for variances up to
  ///            3,000)
  /// Checked by tests/math/mean_function_test.cpp: wide_predictors_are_averaged_as_well
  [[nodiscard]] std::array<double, 4> moments(double mean, double variance) const;
};

}  // namespace sotto
