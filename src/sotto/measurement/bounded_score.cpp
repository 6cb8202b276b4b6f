// The noisy score of a regression with bounded residuals and weights, summed over all rows.
//
// Query        sum over the rows of c psi z, see BoundedWeighting (release/regression_query.hpp)
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  |c psi z| <= c M |z| <= R; two rows differ by at most 2 R; where a unit's rows stand side by side, the sum over
//              them likewise, as c sum M |z| <= R; of pieces of one time at risk M bounds the sum of |psi|,
//              so that the sum over them is no longer than R; of ordered categories |c s| <= c S <= R;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_a_score_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_a_score_further_than_declared

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const BoundedScoreQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const auto add = [law = RowLaw(regression), weighting = query.weighting](const GlmTiles& tiles,
                                                                           IntegerSums& sums) {
    if (law.thresholds) {
      for_each_ordered_response(law, tiles, weighting, [&](const OrderedResponse& response) {
        sums.entries = sums.factor * response.c * response.score.array();
        sums.add();
      });
      return;
    }
    for_each_weighted_unit(law, tiles, weighting, [&](const auto& unit) {
      unit.score(sums.factor * unit.c, sums.entries);
      sums.add();
    });
  };
  const auto entries = static_cast<std::size_t>(regression.domain().columns());
  const double bound = query.weighting.score_bound;
  return measure_vector(
      {"bounded score", {bound, 2 * bound}, entries, add, RowLaw(regression).together(context.unit)}, context,
      query.cost);
}

}  // namespace sotto
