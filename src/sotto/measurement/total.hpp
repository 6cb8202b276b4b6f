// A noisy count of rows, or of rows with response 1.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of 1, or of a binary response
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  in [0, 1];
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const TotalQuery& query, const OwnerContext& context);

}  // namespace sotto
