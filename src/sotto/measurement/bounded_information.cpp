#include "sotto/measurement/bounded_information.hpp"

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const BoundedInformationQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const Eigen::Index dim = regression.domain().columns();
  return measure_matrix(
      {"bounded information", bound_of_matrices(query.weighting.information_bound),
       triangle_entries(static_cast<std::size_t>(dim)),
       [link = known_link(regression.family()), weighting = query.weighting](
           const GlmTiles& tiles, const RowRounding& rounding, std::span<std::int64_t> sums) {
         bounded_information_pass(link, tiles, weighting, rounding, sums);
       }},
      dim, context, query.cost);
}

}  // namespace sotto
