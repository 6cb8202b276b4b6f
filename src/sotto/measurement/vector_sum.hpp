// A sum over all rows of one bounded vector a row, as a measurement: what the questions of release-once have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/measurement/gaussian_noise.hpp"
#include "sotto/measurement/measurement.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

class LocationModel;

/// A regression's rows -> integer sums.
struct VectorSum {
  std::string name;   ///< in the statement
  VectorBound bound;  ///< of one row's vector, before rounding
  std::size_t entries;
  std::function<void(const GlmTiles&, IntegerSums&)>
      add;                   ///< adds each row's vector once, or each unit's where rows stand by units
  std::size_t together = 1;  ///< rows of a unit that stay within the bound together
};

/// The same of symmetric matrices; `add` gives their triangles.
struct MatrixSum {
  std::string name;
  VectorBound bound;  ///< of one row's matrix, in the Frobenius norm
  std::function<void(const GlmTiles&, IntegerSums&)> add;
  std::size_t together = 1;
};

/// Query        the sum over the rows of the vector, each rounded to the grid of measurement/vector_noise.hpp
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity  measurement/vector_noise.hpp with `bound`; a row whose integer vector is longer than bound.norm in grid steps
///              plus sqrt(entries) / 2, or not a number, contributes zero. Where a unit's rows stand side by side `bound` holds for the
///              unit's one vector, which is checked in that way: rows_per_unit is one then
/// Noise, charge, source: measurement/vector_noise.hpp
/// None when the bound fits no grid. The released value is a NoisyVector, or the NoisyMatrix of dimension `dim` whose triangle
/// the vector holds (triangle_entries of measurement/regression_rows.hpp).
/// Checked by tests/measurement/regression_sums_test.cpp: units_of_several_rows_cost_so_many_times_the_sensitivity
[[nodiscard]] std::optional<Measurements> measure_vector(VectorSum sum, const OwnerContext& context,
                                                         Rho cost);
[[nodiscard]] std::optional<Measurements> measure_matrix(MatrixSum sum, Eigen::Index dim,
                                                         const OwnerContext& context, Rho cost);

/// The regression that is asked, and a bound on psd matrices of trace at most `trace`: Frobenius norm at most trace, and two
/// differ by at most sqrt(2) trace because the trace of their product is not negative.
/// Errors: configuration for a model that is no regression of a family with a known link, a likelihood to a power, or rows of a unit side
/// by side that are summed one by one.
[[nodiscard]] const Glm& asked_regression(const OwnerContext& context);
/// The same for normal rows.
[[nodiscard]] const LocationModel& asked_location(const OwnerContext& context);
/// Whether rows are summed one by one, also those of one unit: times at risk and ordered categories stand in pieces.
[[nodiscard]] bool summed_one_by_one(const Glm& regression);
[[nodiscard]] VectorBound bound_of_matrices(double trace);

/// Shapes fit, all numbers are finite, bounds are positive; columns are some, there, and different.
[[nodiscard]] bool legal(const BoundedWeighting& weighting, const Glm& regression);
/// Weights of the thresholds of ordered categories; of other families there are none.
[[nodiscard]] bool legal_thresholds(const Position& weights, const Glm& regression);
/// Of counts of variance m + dispersion m^2.
[[nodiscard]] bool legal_residual(double clip, double dispersion);
[[nodiscard]] bool legal_columns(std::vector<Eigen::Index> columns, Eigen::Index dim);
[[nodiscard]] bool legal_frame(const Matrix& frame, const Glm& regression);
/// Bounds of weights, and entries of frames, lie within 2^200: beyond, digits of rows' vectors are lost below the least double, and
/// with them what bounds several entries or rows together.
[[nodiscard]] bool legal_bound(double bound);

}  // namespace sotto
