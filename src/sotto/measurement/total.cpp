#include "sotto/measurement/total.hpp"

#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

std::optional<Measurements> measure(const TotalQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (query.quantity == TotalOf::offset) return std::nullopt;  // rows have no offset
  const bool binary = regression.response().lower >= 0 && regression.response().upper <= 1;
  if (query.quantity == TotalOf::response && !binary) return std::nullopt;
  return measure_vector({query.quantity == TotalOf::rows ? "number of rows" : "number of ones",
                         {1, 1},
                         1,
                         [quantity = query.quantity](const GlmTiles& tiles, const RowRounding& rounding,
                                                     std::span<std::int64_t> sums) {
                           total_pass(quantity, tiles, rounding, sums);
                         }},
                        context, query.cost);
}

}  // namespace sotto
