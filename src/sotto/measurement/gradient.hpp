// The noisy gradient of the log likelihood at a position, summed over all rows.
#pragma once

#include <functional>
#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

inline constexpr std::size_t kGradientRun = kLongestRun;  ///< contributions below 2^31 steps add up exactly

/// The scale of a question; ones where it names none. Shape (dim).
/// Errors: configuration for another shape, or entries that are not finite and above zero.
[[nodiscard]] Position scale_of(const Position& scale, const OwnerContext& context);

/// The bound on one row's scaled gradient, the likelihood's power included.
[[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale,
                                         const OwnerContext& context);

/// What the pass is told: coordinates in steps of `grid`, and the bound that was priced. `at` must outlive it. None where a
/// coordinate's steps are too many for a double.
[[nodiscard]] std::optional<GradientTask> gradient_task(const Position& at, const Position& scale,
                                                        const VectorBound& bound, GridStep grid,
                                                        const OwnerContext& context);

/// Coordinate j counts steps of noise.grid / scale[j].
[[nodiscard]] std::function<Answer(NoiseMechanism&, Receipt, const ExactSum&)> release_gradient(
    const GaussianNoise& noise, const Position& scale);

}  // namespace sotto
