#include "sotto/measurement/residual_squares.hpp"

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const ResidualSquaresQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (known_link(regression.family()) != Link::identity || query.at.size() != regression.domain().columns() ||
      !query.at.allFinite() || !(query.clip > 0)) {
    return std::nullopt;
  }
  const double bound = query.clip * query.clip;
  return measure_vector(
      {"residual squares",
       {bound, bound},
       1,
       [at = query.at, clip = query.clip](const GlmTiles& tiles, const RowRounding& rounding,
                                          std::span<std::int64_t> sums) {
         residual_squares_pass(tiles, at, clip, rounding, sums);
       }},
      context, query.cost);
}

}  // namespace sotto
