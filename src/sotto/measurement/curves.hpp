// The noisy score of columns' squares at a regression's position, summed over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of c psi q (release/regression_query.hpp), one entry per asked column
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  |c psi q| <= c M |q| <= bound: bound added or removed, twice that exchanged;
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_curves_further_than_declared
[[nodiscard]] std::optional<Measurements> measure(const CurvesQuery& query, const OwnerContext& context);

}  // namespace sotto
