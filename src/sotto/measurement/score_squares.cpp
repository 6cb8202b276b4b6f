#include "sotto/measurement/score_squares.hpp"

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const ScoreSquaresQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const Eigen::Index dim = regression.domain().columns();
  const double bound = query.weighting.score_bound;
  return measure_matrix(
      {"score squares", bound_of_matrices(bound * bound), triangle_entries(static_cast<std::size_t>(dim)),
       [link = known_link(regression.family()), weighting = query.weighting](
           const GlmTiles& tiles, const RowRounding& rounding, std::span<std::int64_t> sums) {
         score_squares_pass(link, tiles, weighting, rounding, sums);
       }},
      dim, context, query.cost);
}

}  // namespace sotto
