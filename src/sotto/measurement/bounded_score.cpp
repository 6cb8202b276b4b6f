#include "sotto/measurement/bounded_score.hpp"

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const BoundedScoreQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const auto entries = static_cast<std::size_t>(regression.domain().columns());
  const double bound = query.weighting.score_bound;
  return measure_vector(
      {"bounded score",
       {bound, 2 * bound},
       entries,
       [link = known_link(regression.family()), weighting = query.weighting](
           const GlmTiles& tiles, const RowRounding& rounding, std::span<std::int64_t> sums) {
         bounded_score_pass(link, tiles, weighting, rounding, sums);
       }},
      context, query.cost);
}

}  // namespace sotto
