// A regression as a configuration names it: its formula, its family, and the design that they make of a schema.
#pragma once

#include "sotto/data/schema.hpp"
#include "sotto/model/design.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/glm/family.hpp"
#include "sotto/run/fit_config.hpp"

namespace sotto {

struct Regression {
  Formula formula;
  GlmFamily family;
  Design design;  ///< a gamma response is counted in steps
};

/// Errors: configuration for a family that does not exist.
[[nodiscard]] GlmFamily family_of(const ModelConfig& model);

/// Errors: configuration, saying what to change, when formula, family, cuts and schema do not fit.
[[nodiscard]] Regression regression_of(const ModelConfig& model, const Schema& schema);

}  // namespace sotto
