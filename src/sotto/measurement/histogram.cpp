#include "sotto/measurement/histogram.hpp"

#include <cmath>

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const HistogramQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  const bool residual =
      query.quantity == HistogramOf::absolute_residual || query.quantity == HistogramOf::residual;
  if (query.edges.size() < 2 || !query.edges.allFinite() ||
      (residual && (query.at.size() != regression.domain().columns() || !query.at.allFinite())) ||
      (query.split && (!residual || !std::isfinite(*query.split)))) {
    return std::nullopt;
  }
  return measure_vector(
      {"histogram",
       {1, std::sqrt(2.0) * kRoundUp},
       static_cast<std::size_t>(query.edges.size() - 1) * (query.split ? 2 : 1),
       [link = known_link(regression.family()), query](const GlmTiles& tiles, const RowRounding& rounding,
                                                       std::span<std::int64_t> sums) {
         histogram_pass(link, tiles, query, rounding, sums);
       }},
      context, query.cost);
}

}  // namespace sotto
