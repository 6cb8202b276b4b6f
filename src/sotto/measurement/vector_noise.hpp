// Noise for a sum of vectors, each rounded to a grid that fits the bound on one of them.
#pragma once

#include <cstddef>
#include <optional>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/measurement/gaussian_noise.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// The grid of a shorter bound would leave the range of doubles.
inline constexpr double kLeastNorm = 0x1p-900;

/// Query        sum over the rows of a vector of `entries` numbers, each rounded to the grid 2^-30 .. 2^-29
///              of bound.norm
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  rows_per_unit times: diameter (or norm, for rows added, removed or left out) in grid steps,
///              plus sqrt(entries) because each coordinate of a difference of two rounded vectors is off by
///              at most one step; one part in 2^40 covers the floating-point evaluation of the contribution.
///              Where the vectors of `together` rows of a unit add up to no more than the bound:
///              rows_per_unit / together times the same, with together sqrt(entries)
/// Noise        discrete Gaussian
/// Charge       GaussianNoise::charge, at most `cost`
/// Source       [CKS20, Theorem 14]
/// None when the bound is not finite or below kLeastNorm, or `together` does not divide rows_per_unit.
/// Checked by tests/measurement/vector_noise_test.cpp: rounding_moves_no_vector_further_than_declared, rows_that_share_a_bound_are_rounded_one_by_one
[[nodiscard]] std::optional<GaussianNoise> vector_noise(const VectorBound& bound, std::size_t entries,
                                                        const PrivacyUnit& unit, Rho cost,
                                                        std::size_t together = 1);

}  // namespace sotto
