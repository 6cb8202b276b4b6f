// Noisy histograms of some of a regression's columns over all rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Query        for each column, how many rows fall into each bin of its window; outside, into the first or last
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  a row sits in one bin of each of c columns: norm sqrt(c), and two rows differ by at most sqrt(2 c);
///              in integers: measurement/vector_sum.hpp
/// Noise, charge, source: measurement/vector_noise.hpp
/// Errors: configuration for a model that is no regression, or a likelihood to a power.
/// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_column_histograms_further_than_declared
[[nodiscard]] std::optional<Measurements> measure(const ColumnHistogramsQuery& query,
                                                  const OwnerContext& context);

}  // namespace sotto
