// The noisy score of curves of columns at a regression's position, summed over all rows.
//
// Query        sum over the rows, of ordered categories over the responses, of c psi q (release/regression_query.hpp), one entry per
//              asked curve
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  |c psi q| <= c M |q| <= bound: bound added or removed, twice that exchanged; where a unit's rows stand side by side,
//              one weight for all of them, c sum M |q| <= bound; of ordered categories once a response, of which only the first row
//              contributes; of a time at risk |psi| adds up to at most M over its pieces;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_curves_further_than_declared
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_curves_further_than_declared, curves_add_up_what_the_question_says
// Checked by tests/measurement/time_at_risk_sums_test.cpp: no_life_moves_curves_further_than_declared

#include <algorithm>
#include <cmath>
#include <concepts>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

bool legal(const CurvesQuery& query, const Glm& regression) {
  const Eigen::Index dim = regression.domain().columns();
  const auto legal_curve = [dim](const ColumnCurve& curve) {
    return curve.column >= 0 && curve.column < dim && std::isfinite(curve.centre) &&
           std::isfinite(curve.scale) && curve.scale > 0;
  };
  return query.at.size() == dim && query.at.allFinite() && legal_residual(query.clip, query.dispersion) &&
         !query.curves.empty() && std::ranges::all_of(query.curves, legal_curve) &&
         legal_bound(query.bound) && legal_thresholds(query.thresholds, regression);
}

TileNumbers values(const ColumnCurve& curve, const TileNumbers& column) {
  const TileNumbers w = (column - curve.centre) / curve.scale;
  if (curve.shape == CurveShape::levelling) return 1 - 2 / (1 + w.max(0.0));
  return w.square().min(CurvesQuery::kLargestSquare) - CurvesQuery::kMeanSquare;
}

/// The asked curves of a tile's rows too.
class CurvesTile : public PiecesTile {
 public:
  CurvesTile(const RowLaw& law, const CurvesQuery& query)
      : PiecesTile(law, query.at),
        query_(query),
        of_tile_(kTile, static_cast<Eigen::Index>(query.curves.size())) {}
  template <class Tile>
  void read(const Tile& x) {
    PiecesTile::read(x);
    for (Eigen::Index k = 0; k < of_tile_.cols(); ++k) {
      const ColumnCurve& curve = query_.curves[static_cast<std::size_t>(k)];
      of_tile_.col(k) = values(curve, x.col(curve.column).array());
    }
  }
  [[nodiscard]] Eigen::ArrayXd q(Eigen::Index lane) const { return of_tile_.row(lane).transpose(); }

 private:
  const CurvesQuery& query_;
  Eigen::Array<double, kTile, Eigen::Dynamic> of_tile_;
};

void add_curves(const RowLaw& law, const CurvesQuery& query, const GlmTiles& tiles, IntegerSums& sums) {
  CurvesTile tile(law, query);
  Eigen::ArrayXd q;
  double reach = 0;
  const PieceResiduals pieces(law.pieces, {query.at, {}, 0, 0, query.clip});
  with_response(law.link, [&](auto response) {
    for_each_unit(
        tiles, [&](const auto& x) { tile.read(x); },
        [&](Eigen::Index lane, double y) {
          BoundedResidual r{};
          if constexpr (std::same_as<decltype(response), EventResponse>) {
            r = pieces.residual(tile.common[lane], tile.piece[lane], y);
          } else {
            r = response.residual(y, response.mean(tile.common[lane]), query.clip, query.dispersion);
          }
          q = tile.q(lane);
          sums.entries += r.psi * q;
          reach += r.largest * std::sqrt(q.square().sum());
        },
        [&](std::size_t) {
          sums.entries *= sums.factor * weight_within(query.bound, reach);
          sums.add();
          sums.entries.setZero();
          reach = 0;
        });
  });
}

void add_curves_of_ordered(const RowLaw& law, const CurvesQuery& query, const GlmTiles& tiles,
                           IntegerSums& sums) {
  CurvesTile tile(law, query);
  Eigen::ArrayXd q;
  for_each_row(
      tiles, [&](const auto& x) { tile.read(x); },
      [&](Eigen::Index lane, double y) {
        if (tile.piece[lane] != 0 || std::isnan(y)) return;
        double lowest = 0;  // of the categories' psi, which climb
        double highest = 0;
        double psi = 0;
        for (Eigen::Index k = 0; k < query.thresholds.size(); ++k) {
          const double mean = threshold_mean(law, query.at, tile.common[lane], k);
          lowest -= query.thresholds[k] * mean;
          highest += query.thresholds[k] * (1 - mean);
          psi += query.thresholds[k] * ((y > static_cast<double>(k) ? 1 : 0) - mean);
        }
        q = tile.q(lane);
        const double reach = std::max(-lowest, highest) * std::sqrt(q.square().sum());
        sums.entries = sums.factor * weight_within(query.bound, reach) * psi * q;
        sums.add();
      });
}

}  // namespace

template <>
std::optional<Measurements> measure(const CurvesQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query, regression)) return std::nullopt;
  const RowLaw law(regression);
  const auto add = [law, query](const GlmTiles& tiles, IntegerSums& sums) {
    (law.thresholds ? add_curves_of_ordered : add_curves)(law, query, tiles, sums);
  };
  return measure_vector(
      {"curves", {query.bound, 2 * query.bound}, query.curves.size(), add, law.together(context.unit)},
      context, query.cost);
}

}  // namespace sotto
