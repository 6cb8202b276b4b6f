// The noisy score of curves of columns at a regression's position, summed over all rows.
//
// Query        sum over the rows of c psi q (release/regression_query.hpp), one entry per asked curve
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
  const auto legal_curve = [dim](const ColumnCurve& curve) {
    return curve.column >= 0 && curve.column < dim && std::isfinite(curve.centre) &&
           std::isfinite(curve.scale) && curve.scale > 0;
  };
  return query.at.size() == dim && query.at.allFinite() && legal_residual(query.clip, query.dispersion) &&
         !query.curves.empty() && std::ranges::all_of(query.curves, legal_curve) && query.bound > 0 &&
         std::isfinite(query.bound);
}

TileNumbers values(const ColumnCurve& curve, const TileNumbers& column) {
  const TileNumbers w = (column - curve.centre) / curve.scale;
  if (curve.shape == CurveShape::levelling) return 1 - 2 / (1 + w.max(0.0));
  return w.square().min(CurvesQuery::kLargestSquare) - CurvesQuery::kMeanSquare;
}

void add_curves(const RowLaw& law, const CurvesQuery& query, const GlmTiles& tiles, IntegerSums& sums) {
  const auto curves = static_cast<Eigen::Index>(query.curves.size());
  Eigen::Array<double, kTile, Eigen::Dynamic> of_tile(kTile, curves);
  TileNumbers eta, piece;
  Eigen::ArrayXd q(curves);
  double reach = 0;
  with_response(law.link, [&](auto response) {
    for_each_unit(
        tiles,
        [&](const auto& x) {
          eta = x * query.at;
          piece = law.piece(x);
          for (Eigen::Index k = 0; k < curves; ++k) {
            const ColumnCurve& curve = query.curves[static_cast<std::size_t>(k)];
            of_tile.col(k) = values(curve, x.col(curve.column).array());
          }
        },
        [&](Eigen::Index lane, double y) {
          const BoundedResidual r = response.residual(law.response(y, piece[lane]), response.mean(eta[lane]),
                                                      query.clip, query.dispersion);
          q = of_tile.row(lane).transpose();
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
  return measure_vector({"curves", {query.bound, 2 * query.bound}, query.curves.size(), add}, context,
                        query.cost);
}

}  // namespace sotto
