// The noisy clipped second moment of a normal model's residuals, summed over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of clip(y - x' at, -h, h)^2
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  in [0, h^2];
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const ResidualSquaresQuery& query,
                                                  const OwnerContext& context);

}  // namespace sotto
