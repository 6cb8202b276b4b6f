// The noisy sum of the outer products of all rows' bounded scores: the score's own variance.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of c^2 psi^2 z z', see BoundedWeighting (release/regression_query.hpp)
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  psd of trace c^2 psi^2 |z|^2 <= R^2: bound_of_matrices of measurement/vector_sum.hpp;
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const ScoreSquaresQuery& query,
                                                  const OwnerContext& context);

}  // namespace sotto
