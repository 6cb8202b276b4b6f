// Independent priors on single parameters.
#pragma once

#include <string>
#include <vector>

#include "sotto/prior/log_prior.hpp"

namespace sotto {

enum class PriorFamily { normal, student_t, laplace, flat };

/// A prior on one parameter.
struct CoefficientPrior {
  PriorFamily family = PriorFamily::normal;
  double location = 0;
  double scale = 2.5;  ///< standard deviation (normal), scale (student_t, laplace); not used by flat
  double degrees_of_freedom = 4;  ///< student_t only

  /// Errors: configuration when the scale or the degrees of freedom are not positive and finite.
  void check() const;
  [[nodiscard]] double log_density(double x) const;  ///< up to a constant
  [[nodiscard]] double slope(double x) const;  ///< derivative of log_density; 0 at a laplace prior's location
  /// Inverse of the distribution function at 0 < p < 1; NaN for flat.
  [[nodiscard]] double quantile(double p) const;
  [[nodiscard]] std::string text() const;  ///< e.g. "normal(0, 2.5)"
};

/// Of a coefficient that is known, an offset's: it as good as stays there.
[[nodiscard]] CoefficientPrior known_coefficient(double value);

/// The product of priors, one per coordinate of the position.
[[nodiscard]] LogPrior product(std::vector<CoefficientPrior> priors);

}  // namespace sotto
