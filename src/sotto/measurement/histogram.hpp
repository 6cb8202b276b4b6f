// A noisy histogram of a regression's responses or residuals over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        how many rows fall into each bin; beyond the edges, into the first or last
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  a row sits in one bin: norm 1, and two rows differ by at most sqrt(2);
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp
[[nodiscard]] std::optional<Measurements> measure(const HistogramQuery& query, const OwnerContext& context);

}  // namespace sotto
