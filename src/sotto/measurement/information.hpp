// The noisy weighted information of a regression at a position, summed over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        sums over the rows of c variance z z', of c^2 variance |z|^2, and of 1, as one vector:
///              information_vector of model/weighted.hpp
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  information_bound (model/weighted.hpp) on the grid of measurement/vector_noise.hpp; a row
///              whose integer vector is longer than its bound contributes zero
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/model/weighted_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const InformationQuery& query, const OwnerContext& context);

}  // namespace sotto
