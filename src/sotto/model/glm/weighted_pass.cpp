#include "sotto/model/glm/weighted_pass.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/model/weighted.hpp"

namespace sotto {
namespace {

using Lanes = Eigen::Array<double, kTile, 1>;

/// What a family contributes at a linear predictor: mean and variance of the response in the score's unit.
struct Response {
  double residual;  ///< (y - mean) / dispersion
  double largest;   ///< sup over legal y of |residual|
  double variance;  ///< of the residual
};

Response respond(const GlmFamily& family, const Interval& legal, double eta, double y) {
  switch (family.family) {
    case Family::bernoulli: {
      const double e = std::exp(-std::abs(eta));
      const double rare = e / (1 + e);
      const double mean = eta < 0 ? rare : 1 / (1 + e);
      return {y - mean, 1 / (1 + e), rare / (1 + e)};
    }
    case Family::poisson: {
      const double mean = std::exp(eta);
      return {y - mean, std::max(legal.upper - mean, mean - legal.lower), mean};
    }
    case Family::normal: {
      const double precision = 1 / (family.sigma * family.sigma);
      return {(y - eta) * precision, std::max(legal.upper - eta, eta - legal.lower) * precision, precision};
    }
  }
  return {NAN, NAN, NAN};
}

/// Calls visit(z, length2, c, response) for each row that counts; z is the row in the frame.
template <class Visit>
void for_each_weighted_row(const GlmFamily& family, const Interval& legal, const GlmTiles& tiles,
                           const Weighting& weighting, const Visit& visit) {
  if (family.unknown_sigma) throw Error(ErrorCode::configuration, "release-once needs a known sigma");
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  const std::size_t stride = (tiles.predictors + 2) * kTile;
  Eigen::Matrix<double, kTile, Eigen::Dynamic> z(kTile, dim);
  Position row(dim);
  for (std::size_t t = 0; t < tiles.count; ++t) {
    const double* tile = tiles.data + t * stride;
    const Eigen::Map<const Eigen::Matrix<double, kTile, Eigen::Dynamic>> x(tile, kTile, dim);
    const Eigen::Map<const Lanes> y(tile + tiles.predictors * kTile);
    const Eigen::Map<const Lanes> counts(tile + (tiles.predictors + 1) * kTile);
    z.noalias() = x * weighting.frame.transpose();
    const Lanes eta = x * weighting.at;
    for (Eigen::Index lane = 0; lane < static_cast<Eigen::Index>(kTile); ++lane) {
      if (counts[lane] == 0) continue;
      row = z.row(lane);
      const double length2 = row.squaredNorm();
      const Response response = respond(family, legal, eta[lane], y[lane]);
      const double c = std::min({1.0, weighting.score_bound / (response.largest * std::sqrt(length2)),
                                 weighting.information_bound / (response.variance * length2)});
      visit(row, length2, c, response);
    }
  }
}

/// Rounds, checks the length, adds. NaN fails the check.
void add_if_within(std::vector<double>& entries, double longest, std::span<std::int64_t> sums) {
  double length2 = 0;
  for (double& entry : entries) {
    entry = std::nearbyint(entry);
    length2 += entry * entry;
  }
  if (!(length2 <= longest * longest)) return;
  for (std::size_t j = 0; j < entries.size(); ++j) sums[j] += static_cast<std::int64_t>(entries[j]);
}

}  // namespace

void glm_score_pass(const GlmFamily& family, const Interval& response, const GlmTiles& tiles,
                    const WeightedTask& task, std::span<std::int64_t> sums) {
  std::vector<double> entries(tiles.predictors);
  for_each_weighted_row(family, response, tiles, *task.weighting,
                        [&](const Position& z, double, double c, const Response& r) {
                          const double scale = task.factor * c * r.residual;
                          for (std::size_t j = 0; j < entries.size(); ++j) {
                            entries[j] = scale * z[static_cast<Eigen::Index>(j)];
                          }
                          add_if_within(entries, task.longest, sums);
                        });
}

void glm_information_pass(const GlmFamily& family, const Interval& response, const GlmTiles& tiles,
                          const WeightedTask& task, std::span<std::int64_t> sums) {
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  const double share = information_share(tiles.predictors);
  std::vector<double> entries(information_entries(tiles.predictors));
  for_each_weighted_row(family, response, tiles, *task.weighting,
                        [&](const Position& z, double length2, double c, const Response& r) {
                          const double scale = task.factor * c * r.variance;
                          std::size_t entry = 0;
                          for (Eigen::Index i = 0; i < dim; ++i) {
                            entries[entry++] = scale * z[i] * z[i];
                            for (Eigen::Index j = i + 1; j < dim; ++j) {
                              entries[entry++] = scale * std::sqrt(2.0) * z[i] * z[j];
                            }
                          }
                          entries[entry] = scale * share * c * length2;
                          entries[entry + 1] = task.factor * share * task.weighting->information_bound;
                          add_if_within(entries, task.longest, sums);
                        });
}

}  // namespace sotto
