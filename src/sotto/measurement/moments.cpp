#include "sotto/measurement/moments.hpp"

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const MomentsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal_frame(query.frame, regression) || !(query.bound > 0)) return std::nullopt;
  const Eigen::Index dim = regression.domain().columns();
  return measure_matrix(
      {"covariate moments", bound_of_matrices(query.bound), triangle_entries(static_cast<std::size_t>(dim)),
       [frame = query.frame, bound = query.bound](const GlmTiles& tiles, const RowRounding& rounding,
                                                  std::span<std::int64_t> sums) {
         moments_pass(tiles, frame, bound, rounding, sums);
       }},
      dim, context, query.cost);
}

}  // namespace sotto
