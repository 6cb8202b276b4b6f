// The noisy weighted score of a regression at a position, summed over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sum over the rows of c (y - mean) z, with the weight c of Weighting (release/query.hpp)
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  weighted_score_bound (model/weighted.hpp) on the grid of measurement/vector_noise.hpp; a row
///              whose integer vector is longer than its bound contributes zero
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/model/weighted_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const ScoreQuery& query, const OwnerContext& context);

}  // namespace sotto
