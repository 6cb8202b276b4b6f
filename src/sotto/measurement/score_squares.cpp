// The noisy sum of the outer products of all rows' bounded scores: the score's own variance.
//
// Query        sum over the rows of c^2 psi^2 z z', or over units whose rows stand side by side of s s' with s their c psi z summed up, see BoundedWeighting (release/regression_query.hpp)
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  psd of trace c^2 psi^2 |z|^2 <= R^2, or |s|^2 <= R^2, where R is the score's bound or what scores are shortened to: bound_of_matrices of measurement/vector_sum.hpp; of pieces of one time at risk
//              the sum of psi^2 is at most M^2, so that together they stay within the score's bound, but each is shortened by itself: where
//              R is shorter than that, a piece is priced as a row of its own; of ordered categories |c s| <= R;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_score_squares_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_score_squares_further_than_declared
// Checked by tests/measurement/time_at_risk_sums_test.cpp: no_life_moves_squares_of_shortened_scores_further_than_declared

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const ScoreSquaresQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  const double longest = query.longest.value_or(query.weighting.score_bound);
  if (!legal(query.weighting, regression) || !legal_bound(longest)) return std::nullopt;
  const auto add = [law = RowLaw(regression), weighting = query.weighting, longest](const GlmTiles& tiles,
                                                                                    IntegerSums& sums) {
    const auto add_square = [&](const Position& score) {
      const double length = length_of(score);
      const double kept = length > longest ? longest / length : 1;
      sums.add_outer(score, sums.factor * kept * kept);
    };
    if (law.thresholds) {
      for_each_ordered_response(law, tiles, weighting, [&](const OrderedResponse& response) {
        add_square(response.c * response.score);
      });
      return;
    }
    Position score(weighting.at.size());
    for_each_weighted_unit(law, tiles, weighting, [&](const auto& unit) {
      unit.score(unit.c, score);
      add_square(score);
    });
  };
  const VectorBound bound = bound_of_matrices(longest * longest);
  const RowLaw law(regression);
  const bool one_by_one = !law.thresholds && longest < query.weighting.score_bound;
  return measure_matrix({"score squares", bound, add, one_by_one ? 1 : law.together(context.unit)},
                        regression.domain().columns(), context, query.cost);
}

}  // namespace sotto
