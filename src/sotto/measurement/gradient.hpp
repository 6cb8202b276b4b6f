// The noisy gradient of the log likelihood at a position, summed over all rows.
#pragma once

#include <functional>
#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

inline constexpr std::size_t kGradientRun = kLongestRun;  ///< contributions below 2^31 steps add up exactly

/// The scale of a question; ones where it names none. Shape (dim).
[[nodiscard]] Position scale_of(const Position& scale, const OwnerContext& context);

/// The bound on one row's scaled gradient, the likelihood's power included.
[[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale,
                                         const OwnerContext& context);

/// Coordinate j counts steps of noise.grid / scale[j].
[[nodiscard]] std::function<Answer(NoiseMechanism&, Receipt, const ExactSum&)> release_gradient(
    const GaussianNoise& noise, const Position& scale);

/// Query        sum over the rows of the scaled gradient, each row's rounded to the grid
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity, noise, charge, source: measurement/vector_noise.hpp with the model's gradient_bound
/// Checked by tests/measurement/gradient_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const GradientQuery& query, const OwnerContext& context);

}  // namespace sotto
