// The rows far out that a weighting takes something of: how many are left less than half, and what they would add to the score under
// twice its bounds.
//
// Query        sum over the rows of (1{c < 1/2} / 2, min(c, 1 - c) psi z / R), see BoundedWeighting (release/regression_query.hpp), R
//              its score_bound; of ordered categories s for psi z, once a response; where a unit's rows stand side by side, sum psi z,
//              once a unit
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  c |psi z| <= R, so the vector v has |v| <= min(1, (1 - c) / c): (1/2, v) with |v| <= 1, or (0, v) with c >= 1/2 and
//              |v| <= 1. Of a time at risk the first piece counts, and the pieces' vectors add up to one like this. sqrt(1.25) added or
//              removed; exchanged at most |(1/2, v) - (0, v')| <= sqrt(1/4 + 2^2) = sqrt(4.25);
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_light_rows_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_light_rows_further_than_declared
// Checked by tests/measurement/time_at_risk_sums_test.cpp: no_life_moves_light_rows_further_than_declared
// Checked by tests/measurement/unit_sums_test.cpp: no_unit_moves_light_rows_further_than_declared

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

/// What twice the bounds would add to a weight.
double taken(double c) { return std::min(c, 1 - c); }

}  // namespace

template <>
std::optional<Measurements> measure(const LightRowsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const auto add = [law = RowLaw(regression), weighting = query.weighting](const GlmTiles& tiles,
                                                                           IntegerSums& sums) {
    if (law.thresholds) {
      for_each_ordered_response(law, tiles, weighting, [&](const OrderedResponse& response) {
        sums.entries[0] = response.c < LightRowsQuery::kLight ? LightRowsQuery::kCount * sums.factor : 0;
        sums.entries.tail(response.score.size()) =
            sums.factor * taken(response.c) / weighting.score_bound * response.score.array();
        sums.add();
      });
      return;
    }
    for_each_weighted_unit(law, tiles, weighting, [&](const auto& unit) {
      const bool light = unit.c < LightRowsQuery::kLight && unit.rows.front().piece == 0;
      sums.entries[0] = light ? LightRowsQuery::kCount * sums.factor : 0;
      unit.score(sums.factor * taken(unit.c) / weighting.score_bound, sums.entries.tail(weighting.at.size()));
      sums.add();
    });
  };
  const auto entries = static_cast<std::size_t>(regression.domain().columns()) + 1;
  const std::size_t together = RowLaw(regression).together(context.unit);
  return measure_vector(
      {"light rows", {std::sqrt(1.25) * kRoundUp, std::sqrt(4.25) * kRoundUp}, entries, add, together},
      context, query.cost);
}

}  // namespace sotto
