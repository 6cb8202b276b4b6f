// The noisy sum of normal rows' deviations from a public point, each shortened to a public length, and with it the number of rows.
//
// Query        sum over the rows of (z min(1, bound / |z|), count), z = frame (x - at); see ClippedDeviationsQuery (release/query.hpp);
//              of a row whose bound / |z| is too small to have digits (0, count), of one with a missing cell nothing
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  added or removed: sqrt(bound^2 + count^2); exchanged: max(2 bound, that of a row that is left out), as both have the
//              same count; in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model of other rows, or a likelihood to a power.
// Checked by tests/measurement/clipped_deviations_test.cpp: no_row_moves_them_further_than_declared

#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/location_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

bool legal(const ClippedDeviationsQuery& query, Eigen::Index dim) {
  return legal_deviations(query.at, query.frame, dim) && query.bound > 0 && query.count >= 0;
}

}  // namespace

template <>
std::optional<Measurements> measure(const ClippedDeviationsQuery& query, const OwnerContext& context) {
  const Eigen::Index dim = asked_location(context).dim();
  if (!legal(query, dim)) return std::nullopt;
  const auto add = [query, dim](const GlmTiles& tiles, IntegerSums& sums) {
    for_each_deviation(tiles, query.at, query.frame, [&](const Position& z) {
      const double within = weight_within(query.bound, length_of(z));
      sums.entries.head(dim) = sums.factor * within * z.array();
      if (query.count > 0) sums.entries[dim] = sums.factor * query.count;
      sums.add();
    });
  };
  const VectorBound bound{std::hypot(query.bound, query.count) * kRoundUp, 2 * query.bound};
  const auto entries = static_cast<std::size_t>(dim) + (query.count > 0 ? 1 : 0);
  return measure_vector({"clipped deviations", bound, entries, add}, context, query.cost);
}

}  // namespace sotto
