#include "sotto/measurement/curves.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

bool legal(const CurvesQuery& query, Eigen::Index dim) {
  const auto size = static_cast<Eigen::Index>(query.columns.size());
  return query.at.size() == dim && query.at.allFinite() && query.clip > 0 && query.dispersion >= 0 &&
         legal_columns(query.columns, dim) && query.centre.size() == size && query.centre.allFinite() &&
         query.scale.size() == size && query.scale.allFinite() && query.scale.minCoeff() > 0 &&
         query.bound > 0 && std::isfinite(query.bound);
}

}  // namespace

std::optional<Measurements> measure(const CurvesQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query, regression.domain().columns())) return std::nullopt;
  return measure_vector(
      {"curves",
       {query.bound, 2 * query.bound},
       query.columns.size(),
       [link = known_link(regression.family()), query](const GlmTiles& tiles, const RowRounding& rounding,
                                                       std::span<std::int64_t> sums) {
         curves_pass(link, tiles, query, rounding, sums);
       }},
      context, query.cost);
}

}  // namespace sotto
