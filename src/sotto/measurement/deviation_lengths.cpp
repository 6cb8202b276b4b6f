// A noisy histogram of how far normal rows lie from a public point, in a public frame.
//
// Query        how many rows have a length |frame (x - at)| in each bin; see DeviationLengthsQuery (release/query.hpp)
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  a row sits in one bin: norm 1, and two rows differ by at most sqrt(2);
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model of other rows, or a likelihood to a power.
// Checked by tests/measurement/deviation_lengths_test.cpp: no_row_moves_them_further_than_declared, a_row_is_counted_in_one_bin

#include <algorithm>
#include <cmath>
#include <functional>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/location_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kMostBins = 4096;

bool legal(const DeviationLengthsQuery& query, Eigen::Index dim) {
  const Position& edges = query.edges;
  return legal_deviations(query.at, query.frame, dim) && edges.size() >= 2 && edges.size() <= kMostBins &&
         edges.allFinite() && edges[0] == 0 &&
         std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end();
}

}  // namespace

template <>
std::optional<Measurements> measure(const DeviationLengthsQuery& query, const OwnerContext& context) {
  const Eigen::Index dim = asked_location(context).dim();
  if (!legal(query, dim)) return std::nullopt;
  const auto add = [query](const GlmTiles& tiles, IntegerSums& sums) {
    for_each_deviation(tiles, query.at, query.frame, [&](const Position& z) {
      const double length = z.norm();
      if (std::isnan(length)) return;
      const auto beyond = std::upper_bound(query.edges.begin(), query.edges.end(), length);
      sums.entries.setZero();
      sums.entries[beyond - query.edges.begin() - 1] = sums.factor;
      sums.add();
    });
  };
  const VectorBound bound{1, std::sqrt(2.0) * kRoundUp};
  return measure_vector({"deviation lengths", bound, static_cast<std::size_t>(query.edges.size()), add},
                        context, query.cost);
}

}  // namespace sotto
