// The noisy score of columns' squares at a regression's position, summed over all rows.
//
// Query        sum over the rows of c psi q (release/regression_query.hpp), one entry per asked column
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  |c psi q| <= c M |q| <= bound: bound added or removed, twice that exchanged; where a unit's rows stand side by side,
//              one weight for all of them, c sum M |q| <= bound;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_curves_further_than_declared

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

bool legal(const CurvesQuery& query, Eigen::Index dim) {
  const auto size = static_cast<Eigen::Index>(query.columns.size());
  return query.at.size() == dim && query.at.allFinite() && legal_residual(query.clip, query.dispersion) &&
         legal_columns(query.columns, dim) && query.centre.size() == size && query.centre.allFinite() &&
         query.scale.size() == size && query.scale.allFinite() && query.scale.minCoeff() > 0 &&
         query.bound > 0 && std::isfinite(query.bound);
}

void add_curves(const RowLaw& law, const CurvesQuery& query, const GlmTiles& tiles, IntegerSums& sums) {
  const auto columns = static_cast<Eigen::Index>(query.columns.size());
  Eigen::Array<double, kTile, Eigen::Dynamic> squares(kTile, columns);
  TileNumbers eta, piece;
  Eigen::ArrayXd q(columns);
  double reach = 0;
  with_response(law.link, [&](auto response) {
    for_each_unit(
        tiles,
        [&](const auto& x) {
          eta = x * query.at;
          piece = law.piece(x);
          for (Eigen::Index k = 0; k < columns; ++k) {
            const TileNumbers column = x.col(query.columns[static_cast<std::size_t>(k)]).array();
            squares.col(k) = ((column - query.centre[k]) / query.scale[k]).square();
          }
        },
        [&](Eigen::Index lane, double y) {
          const BoundedResidual r = response.residual(law.response(y, piece[lane]), response.mean(eta[lane]),
                                                      query.clip, query.dispersion);
          q = squares.row(lane).min(CurvesQuery::kLargestSquare).transpose() - CurvesQuery::kMeanSquare;
          sums.entries += r.psi * q;
          reach += r.largest * std::sqrt(q.square().sum());
        },
        [&](std::size_t) {
          sums.entries *= sums.factor * std::min(1.0, query.bound / reach);
          sums.add();
          sums.entries.setZero();
          reach = 0;
        });
  });
}

}  // namespace

template <>
std::optional<Measurements> measure(const CurvesQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query, regression.domain().columns())) return std::nullopt;
  const auto add = [law = RowLaw(regression), query](const GlmTiles& tiles, IntegerSums& sums) {
    add_curves(law, query, tiles, sums);
  };
  return measure_vector({"curves", {query.bound, 2 * query.bound}, query.columns.size(), add}, context,
                        query.cost);
}

}  // namespace sotto
