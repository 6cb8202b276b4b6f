// Noisy histograms of a regression's residuals, group by group, over all rows.
//
// Query        for each grouping, the weight w of the rows that fall into each group's bins of y - m (counts: y / m), beyond the edges into
//              the first or last; where a unit's rows stand side by side, its shares of them
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  a row sits in one bin of one group of each grouping: norm sqrt(sum w^2) = r, and two rows differ by at most
//              sqrt(2) r, as do means of such vectors, whose entries are not negative;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_grouped_residuals_further_than_declared,
//            a_row_is_counted_once_in_every_grouping

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {
namespace {

constexpr std::size_t kMostGroupings = 4096;

bool legal(const GroupedResidualsQuery& query, const RowLaw& law, Eigen::Index dim) {
  const bool groupings = std::ranges::all_of(query.groupings, [&](const Grouping& one) {
    return legal_columns(one.columns, dim) && one.cuts.allFinite() && legal_bound(one.weight) &&
           one.cuts.size() == static_cast<Eigen::Index>(one.columns.size());
  });
  return clips(law.link) && groupings && !query.groupings.empty() &&
         query.groupings.size() <= kMostGroupings && query.edges.size() >= 2 && query.edges.allFinite() &&
         query.at.size() == dim && query.at.allFinite();
}

void count(Link link, const GroupedResidualsQuery& query, const GlmTiles& tiles, IntegerSums& sums) {
  const Eigen::Index bins = query.bins();
  const double* tile = nullptr;
  TileNumbers eta;
  const auto group_of = [&](const Grouping& grouping, Eigen::Index lane) {
    Eigen::Index group = 0;
    for (const Eigen::Index column : grouping.columns) {
      if (tile[column * static_cast<Eigen::Index>(kTile) + lane] >= grouping.cuts[group]) break;
      ++group;
    }
    return group;
  };
  with_response(link, [&](auto response) {
    for_each_unit(
        tiles,
        [&](const auto& x) {
          tile = x.data();
          eta = x * query.at;
        },
        [&](Eigen::Index lane, double y) {
          const double mean = response.mean(eta[lane]);
          const double residual = link == Link::log ? y / mean : y - mean;
          if (std::isnan(residual)) return;
          const auto above = std::upper_bound(query.edges.begin(), query.edges.end(), residual);
          Eigen::Index entry = std::clamp<Eigen::Index>(above - query.edges.begin() - 1, 0, bins - 1);
          for (const Grouping& grouping : query.groupings) {
            sums.entries[entry + group_of(grouping, lane) * bins] += sums.factor * grouping.weight;
            entry += grouping.groups() * bins;
          }
        },
        [&](std::size_t rows) { sums.add_mean(rows); });
  });
}

}  // namespace

template <>
std::optional<Measurements> measure(const GroupedResidualsQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  const RowLaw law(regression);
  if (!legal(query, law, regression.domain().columns())) return std::nullopt;
  const auto add = [link = law.link, query](const GlmTiles& tiles, IntegerSums& sums) {
    count(link, query, tiles, sums);
  };
  const double reach = query.reach() * kRoundUp;
  const VectorBound bound{reach, std::sqrt(2.0) * reach * kRoundUp};
  return measure_vector({"grouped residuals", bound, static_cast<std::size_t>(query.entries()), add}, context,
                        query.cost);
}

}  // namespace sotto
