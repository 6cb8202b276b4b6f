// The noisy sum of the outer products of all rows' bounded scores: the score's own variance.
//
// Query        sum over the rows of c^2 psi^2 z z', see BoundedWeighting (release/regression_query.hpp)
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  psd of trace c^2 psi^2 |z|^2 <= R^2: bound_of_matrices of measurement/vector_sum.hpp; of pieces of one time at risk
//              the sum of psi^2 is at most M^2; of ordered categories |c s| <= R;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_score_squares_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_score_squares_further_than_declared

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const ScoreSquaresQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const auto add = [law = RowLaw(regression), weighting = query.weighting](const GlmTiles& tiles,
                                                                           IntegerSums& sums) {
    if (law.thresholds) {
      for_each_ordered_response(law, tiles, weighting, [&](const OrderedResponse& response) {
        set_triangle(response.score, sums.factor * response.c * response.c, sums.entries);
        sums.add();
      });
      return;
    }
    for_each_weighted_row(law, tiles, weighting, [&](const auto& row) {
      const double score = row.c * row.residual.psi;
      set_triangle(row.z, sums.factor * score * score, sums.entries);
      sums.add();
    });
  };
  const VectorBound bound = bound_of_matrices(query.weighting.score_bound * query.weighting.score_bound);
  return measure_matrix({"score squares", bound, add, RowLaw(regression).together(context.unit)},
                        regression.domain().columns(), context, query.cost);
}

}  // namespace sotto
