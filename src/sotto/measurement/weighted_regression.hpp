// The regression whose weighted statistics are asked for.
#pragma once

#include "sotto/base/error.hpp"
#include "sotto/measurement/measurement.hpp"
#include "sotto/model/glm/glm.hpp"

namespace sotto {

/// Errors: configuration for a model that is no regression, or a likelihood to a power.
[[nodiscard]] inline const Glm& weighted_regression(const OwnerContext& context) {
  if (context.likelihood_power != 1)
    throw Error(ErrorCode::configuration,
                "weighted scores take the likelihood as it is: set model.likelihood_power to 1");
  const Glm* regression = context.model.as<Glm>();
  if (regression == nullptr)
    throw Error(ErrorCode::configuration,
                "this model has no weighted score: choose another method than release-once");
  return *regression;
}

}  // namespace sotto
