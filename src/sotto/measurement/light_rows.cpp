// The rows that a weighting leaves less than half of: how many they are, and the direction in which they leave the model.
//
// Query        sum over the rows with c < 1/2 of (1, psi / M z / |z|), see BoundedWeighting (release/regression_query.hpp); of ordered
//              categories of (1, s / S), once a response; where a unit's rows stand side by side, of (1, sum psi z / sum M |z|) once a unit
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  (1, v) with |v| <= 1, or zero: sqrt(2) added or removed; exchanged at most max(sqrt(2), |v - v'|) = 2;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_light_rows_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_light_rows_further_than_declared

#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const LightRowsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const auto add = [law = RowLaw(regression), weighting = query.weighting](const GlmTiles& tiles,
                                                                           IntegerSums& sums) {
    if (law.thresholds) {
      for_each_ordered_response(law, tiles, weighting, [&](const OrderedResponse& response) {
        sums.entries.setZero();
        if (response.c < LightRowsQuery::kLight) {
          sums.entries[0] = sums.factor;
          sums.entries.tail(response.score.size()) = sums.factor / response.largest * response.score.array();
        }
        sums.add();
      });
      return;
    }
    for_each_weighted_unit(law, tiles, weighting, [&](const auto& unit) {
      sums.entries.setZero();
      if (unit.c < LightRowsQuery::kLight) {
        sums.entries[0] = sums.factor;
        unit.score(sums.factor / unit.reach, sums.entries.tail(weighting.at.size()));
      }
      sums.add();
    });
  };
  const auto entries = static_cast<std::size_t>(regression.domain().columns()) + 1;
  const RowLaw law(regression);
  const std::size_t together = law.thresholds ? law.together(context.unit) : 1;
  return measure_vector({"light rows", {std::sqrt(2.0) * kRoundUp, 2}, entries, add, together}, context,
                        query.cost);
}

}  // namespace sotto
