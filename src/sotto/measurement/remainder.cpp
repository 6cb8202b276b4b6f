// What a wider clip would add to a regression's noisy score, summed over all rows.
//
// Query        sum over the rows of w (psi' - psi) z (release/regression_query.hpp)
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  |w (psi' - psi) z| <= w D |z| <= bound, as w is a function of the covariates alone and D a supremum over the
//              responses (normal: h' - h; counts: psi' - psi less its mean under the model lies in [-(l - l'), u' - u]):
//              bound added or removed, twice that exchanged; where a unit's rows stand side by side, w sum D |z| <= bound; in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_a_remainder_further_than_declared

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const RemainderQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  const RowLaw law(regression);
  if (!clips(law.link) || !legal(query.weighting, regression) || !std::isfinite(query.wide_clip) ||
      !(query.wide_clip > query.weighting.clip) || !(query.bound > 0) || !std::isfinite(query.bound)) {
    return std::nullopt;
  }
  const auto add = [law, query](const GlmTiles& tiles, IntegerSums& sums) {
    const BoundedWeighting& weighting = query.weighting;
    for_each_weighted_unit(law, tiles, weighting, [&](const auto& unit) {
      sums.entries.setZero();
      double reach = 0;
      for (std::size_t i = 0; i < unit.rows.size(); ++i) {
        const WeightedRow& row = unit.rows[i];
        const WiderResidual wider =
            unit.response.wider(row.y, row.mean, weighting.clip, query.wide_clip, weighting.dispersion);
        reach += wider.most * row.length;
        sums.entries += wider.more * unit.z(i).array();
      }
      sums.entries *= sums.factor * std::min(unit.c, query.bound / reach);
      sums.add();
    });
  };
  const auto entries = static_cast<std::size_t>(regression.domain().columns());
  return measure_vector({"remainder", {query.bound, 2 * query.bound}, entries, add}, context, query.cost);
}

}  // namespace sotto
