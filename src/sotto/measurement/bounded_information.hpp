// The noisy information of a regression with bounded residuals and weights, summed over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of c b z z', see BoundedWeighting (release/regression_query.hpp)
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  c b z z' is psd of trace at most c B |z|^2 <= Q: bound_of_matrices of measurement/vector_sum.hpp;
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const BoundedInformationQuery& query,
                                                  const OwnerContext& context);

}  // namespace sotto
