// The noisy second moments of a regression's covariates, summed over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of min(1, bound / |z|^2) z z', z = frame x
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  psd of trace at most the bound: bound_of_matrices of measurement/vector_sum.hpp;
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const MomentsQuery& query, const OwnerContext& context);

}  // namespace sotto
