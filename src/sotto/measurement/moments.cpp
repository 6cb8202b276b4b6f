// The noisy second moments of a regression's covariates, summed over all rows.
//
// Query        sum over the rows of min(1, bound / |z|^2) z z', z = frame x; over units whose rows stand side by side of their mean
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  psd of trace at most the bound: bound_of_matrices of measurement/vector_sum.hpp;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_moments_further_than_declared

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const MomentsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal_frame(query.frame, regression) || !legal_bound(query.bound)) return std::nullopt;
  const auto add = [frame = query.frame, bound = query.bound](const GlmTiles& tiles, IntegerSums& sums) {
    TileVectors z(kTile, frame.rows());
    Position row(frame.rows());
    const bool one_by_one = tiles.unit_starts == nullptr;
    for_each_unit(
        tiles, [&](const auto& x) { z.noalias() = x * frame.transpose(); },
        [&](Eigen::Index lane, double) {
          row = z.row(lane);
          const double scale = sums.factor * std::min(1.0, bound / row.squaredNorm());
          if (one_by_one) {
            sums.add_outer(row, scale);
          } else {
            add_triangle(row, scale, sums.entries);
          }
        },
        [&](std::size_t rows) {
          if (!one_by_one) sums.add_mean(rows);
        });
  };
  return measure_matrix({"covariate moments", bound_of_matrices(query.bound), add},
                        regression.domain().columns(), context, query.cost);
}

}  // namespace sotto
