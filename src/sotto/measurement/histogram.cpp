// A noisy histogram of a regression's responses or residuals over all rows.
//
// Query        how many rows fall into each bin; beyond the edges, into the first or last; with a split, into a bin of one of
//              two sets, by the row's linear predictor; where a unit's rows stand side by side, its shares of them; of unit_rows a unit
//              is in the bin of how many they are
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  a row sits in one bin: norm 1, and two rows differ by at most sqrt(2), as do means of such vectors, whose entries are
//              not negative;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_a_histogram_further_than_declared

#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

bool of_residuals(const HistogramQuery& query) {
  return query.quantity == HistogramOf::absolute_residual || query.quantity == HistogramOf::residual;
}

bool legal(const HistogramQuery& query, Eigen::Index dim) {
  const bool residual = of_residuals(query);
  return query.edges.size() >= 2 && query.edges.allFinite() &&
         (!residual || (query.at.size() == dim && query.at.allFinite())) &&
         (!query.split || (residual && std::isfinite(*query.split)));
}

void count(Link link, const HistogramQuery& query, const GlmTiles& tiles, IntegerSums& sums) {
  const bool absolute = query.quantity == HistogramOf::absolute_residual;
  const bool residual = of_residuals(query);
  const auto* first = query.edges.data();
  const auto* last = first + query.edges.size();
  const Eigen::Index bins = query.edges.size() - 1;
  TileNumbers eta = TileNumbers::Zero();
  const auto bin_of = [&](double value) {
    return std::clamp<Eigen::Index>(std::upper_bound(first, last, value) - first - 1, 0, bins - 1);
  };
  with_response(link, [&](auto response) {
    for_each_unit(
        tiles,
        [&](const auto& x) {
          if (residual) eta = x * query.at;
        },
        [&](Eigen::Index lane, double y) {
          if (query.quantity == HistogramOf::unit_rows) return;
          double value = y;
          if (query.quantity == HistogramOf::log_response) value = std::log(y + 0.5);
          if (residual) {
            const double mean = response.mean(eta[lane]);
            value = y - mean;
            if (absolute) value = std::abs(value) / response.unit(mean);
          }
          if (std::isnan(value)) return;
          const Eigen::Index bin = bin_of(value);
          sums.entries[query.split && eta[lane] >= *query.split ? bins + bin : bin] += sums.factor;
        },
        [&](std::size_t rows) {
          if (query.quantity == HistogramOf::unit_rows) {
            sums.entries[bin_of(static_cast<double>(rows))] = sums.factor;
            rows = 1;
          }
          sums.add_mean(rows);
        });
  });
}

}  // namespace

template <>
std::optional<Measurements> measure(const HistogramQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query, regression.domain().columns())) return std::nullopt;
  const auto add = [link = known_link(regression.family()), query](const GlmTiles& tiles, IntegerSums& sums) {
    count(link, query, tiles, sums);
  };
  const VectorBound bound{1, std::sqrt(2.0) * kRoundUp};
  const auto bins = static_cast<std::size_t>(query.edges.size() - 1) * (query.split ? 2 : 1);
  return measure_vector({"histogram", bound, bins, add}, context, query.cost);
}

}  // namespace sotto
