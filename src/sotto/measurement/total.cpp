// A noisy count of rows, or of rows with response 1.
//
// Query        sum over the rows of 1, or of a binary response
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  in [0, 1];
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const TotalQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  const bool rows = query.quantity == TotalOf::rows;
  const bool binary = regression.response().lower >= 0 && regression.response().upper <= 1;
  if (!rows && !binary) return std::nullopt;
  const auto add = [rows](const GlmTiles& tiles, IntegerSums& sums) {
    for_each_row(
        tiles, [](const auto&) {},
        [&](Eigen::Index, double y) {
          sums.entries[0] = sums.factor * (rows ? 1.0 : y);
          sums.add();
        });
  };
  return measure_vector({rows ? "number of rows" : "number of ones", {1, 1}, 1, add}, context, query.cost);
}

}  // namespace sotto
