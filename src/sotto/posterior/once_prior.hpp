// Any product prior as a normal stand-in times a ratio, the form in which release-once draws from it.
#pragma once

#include <span>

#include "sotto/posterior/once_sampler.hpp"
#include "sotto/prior/coefficient_prior.hpp"

namespace sotto {

struct OncePrior {
  NormalPrior normal;
  PriorRatio ratio;  ///< empty when all priors are normal or flat
};

/// The stand-in has each prior's location and standard deviation (a student_t without one: twice its scale).
[[nodiscard]] OncePrior once_prior(std::span<const CoefficientPrior> priors);

}  // namespace sotto
