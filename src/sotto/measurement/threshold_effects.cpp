// The noisy score of effects that differ between the thresholds of ordered categories, and of a skewed curve, summed over all
// responses.
//
// Query        sum over the responses of c v (release/regression_query.hpp): an entry for each asked column and contrast, and one
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  c |v| <= bound, once a response: only its first row contributes; twice that exchanged;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/ordered_sums_test.cpp: nobody_moves_threshold_effects_further_than_declared

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ordered_responses.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

bool legal(const ThresholdEffectsQuery& query, const RowLaw& law, Eigen::Index dim) {
  const auto size = static_cast<Eigen::Index>(query.columns.size());
  return law.thresholds && query.at.size() == dim && query.at.allFinite() &&
         legal_columns(query.columns, dim) && query.centre.size() == size && query.centre.allFinite() &&
         query.scale.size() == size && query.scale.allFinite() && query.scale.minCoeff() > 0 &&
         query.contrasts.rows() == static_cast<Eigen::Index>(law.pieces.count) &&
         query.contrasts.cols() > 0 && query.contrasts.allFinite() &&
         query.tails.size() == query.contrasts.rows() && query.tails.allFinite() &&
         std::isfinite(query.level) && legal_bound(query.bound);
}

/// (x - centre) / scale of the asked columns is frame x - offset.
BoundedWeighting framing(const ThresholdEffectsQuery& query) {
  Matrix frame = Matrix::Zero(query.scale.size(), query.at.size());
  for (Eigen::Index j = 0; j < query.scale.size(); ++j)
    frame(j, query.columns[static_cast<std::size_t>(j)]) = 1 / query.scale[j];
  return {query.at, frame, query.bound, query.bound, 1};
}

/// What r_k adds to t, and to u behind it, if the response lies beyond threshold k.
Position step_of(const ThresholdEffectsQuery& query, Eigen::Index k, double mean) {
  Position step(query.contrasts.cols() + 1);
  step << query.contrasts.row(k).transpose(),
      query.tails[k] * ((1 - 2 * mean) * (1 - 2 * mean) - query.level);
  return step;
}

void add_threshold_effects(const RowLaw& law, const ThresholdEffectsQuery& query, const GlmTiles& tiles,
                           IntegerSums& sums) {
  const BoundedWeighting weighting = framing(query);
  const Position offset = query.centre.cwiseQuotient(query.scale);
  const Eigen::Index thresholds = query.contrasts.rows();
  const Eigen::Index contrasts = query.contrasts.cols();
  FramedTile tile(law, weighting);
  Position q(offset.size()), of_category(contrasts + 1), own(contrasts + 1), means(thresholds);
  for_each_row(
      tiles, [&](const auto& x) { tile.read(x); },
      [&](Eigen::Index lane, double y) {
        if (tile.piece[lane] != 0 || std::isnan(y)) return;
        q = tile.z.row(lane).transpose() - offset;
        const double length = length_of(q);
        const auto length_of_vector = [&](const Position& tu) {
          return std::hypot(length * length_of(tu.head(contrasts)), tu[contrasts]);
        };
        of_category.setZero();
        for (Eigen::Index k = 0; k < thresholds; ++k) {
          means[k] = threshold_mean(law, query.at, tile.common[lane], k);
          of_category -= means[k] * step_of(query, k, means[k]);
        }
        own = of_category;
        double largest = length_of_vector(own);
        for (Eigen::Index k = 0; k < thresholds; ++k) {
          of_category += step_of(query, k, means[k]);
          largest = std::max(largest, length_of_vector(of_category));
          if (y > static_cast<double>(k)) own = of_category;
        }
        const double factor = sums.factor * weight_within(query.bound, largest);
        for (Eigen::Index a = 0; a < contrasts; ++a)
          sums.entries.segment(a * q.size(), q.size()) = factor * own[a] * q.array();
        sums.entries[contrasts * q.size()] = factor * own[contrasts];
        sums.add();
      });
}

}  // namespace

template <>
std::optional<Measurements> measure(const ThresholdEffectsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  const RowLaw law(regression);
  if (!legal(query, law, regression.domain().columns())) return std::nullopt;
  const auto add = [law, query](const GlmTiles& tiles, IntegerSums& sums) {
    add_threshold_effects(law, query, tiles, sums);
  };
  const std::size_t entries = query.columns.size() * static_cast<std::size_t>(query.contrasts.cols()) + 1;
  return measure_vector(
      {"threshold effects", {query.bound, 2 * query.bound}, entries, add, law.together(context.unit)},
      context, query.cost);
}

}  // namespace sotto
