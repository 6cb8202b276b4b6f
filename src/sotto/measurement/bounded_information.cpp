// The noisy information of a regression with bounded residuals and weights, summed over all rows.
//
// Query        sum over the rows of c b z z', see BoundedWeighting (release/regression_query.hpp)
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  c b z z' is psd of trace at most c B |z|^2 <= Q: bound_of_matrices of measurement/vector_sum.hpp; where a unit's rows
//              stand side by side, their sum likewise, as c sum B |z|^2 <= Q; of pieces of one time
//              at risk B bounds the sum of b, and so Q the trace of the sum; of ordered categories the trace is c T <= Q;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_an_information_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_an_information_further_than_declared

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const BoundedInformationQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.weighting, regression)) return std::nullopt;
  const auto add = [law = RowLaw(regression), weighting = query.weighting](const GlmTiles& tiles,
                                                                           IntegerSums& sums) {
    if (law.thresholds) {
      for_each_ordered_response(law, tiles, weighting, [&](const OrderedResponse& response) {
        response.information(sums.factor * response.c, sums.entries);
        sums.add();
      });
      return;
    }
    for_each_weighted_unit(law, tiles, weighting, [&](const auto& unit) {
      if (unit.rows.size() == 1) {
        sums.add_outer(unit.z(0), sums.factor * unit.c * unit.rows[0].residual.slope);
        return;
      }
      sums.entries.setZero();
      for (std::size_t i = 0; i < unit.rows.size(); ++i)
        add_triangle(unit.z(i), sums.factor * unit.c * unit.rows[i].residual.slope, sums.entries);
      sums.add();
    });
  };
  const VectorBound bound = bound_of_matrices(query.weighting.information_bound);
  return measure_matrix({"bounded information", bound, add, RowLaw(regression).together(context.unit)},
                        regression.domain().columns(), context, query.cost);
}

}  // namespace sotto
