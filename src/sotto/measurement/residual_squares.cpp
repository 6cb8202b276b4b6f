// The noisy clipped second moment of a normal model's residuals, summed over all rows.
//
// Query        sum over the rows of clip(y - x' at, -h, h)^2; over units whose rows stand side by side of their mean
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  in [0, h^2];
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_residual_squares_further_than_declared

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const ResidualSquaresQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (known_link(regression.family()) != Link::identity || query.at.size() != regression.domain().columns() ||
      !query.at.allFinite() || !(query.clip > 0)) {
    return std::nullopt;
  }
  const auto add = [at = query.at, clip = query.clip](const GlmTiles& tiles, IntegerSums& sums) {
    TileNumbers eta;
    for_each_unit(
        tiles, [&](const auto& x) { eta = x * at; },
        [&](Eigen::Index lane, double y) {
          const double residual = std::clamp(y - eta[lane], -clip, clip);
          sums.entries[0] += sums.factor * residual * residual;
        },
        [&](std::size_t rows) { sums.add_mean(rows); });
  };
  const double bound = query.clip * query.clip;
  return measure_vector({"residual squares", {bound, bound}, 1, add}, context, query.cost);
}

}  // namespace sotto
