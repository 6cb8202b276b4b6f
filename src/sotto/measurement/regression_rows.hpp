// What passes over a regression's rows share: tiles as Eigen sees them, bounded weights, and vectors rounded to integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "sotto/data/rows.hpp"
#include "sotto/model/glm/bounded_residual.hpp"
#include "sotto/model/glm/glm_pass.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// How a row's vector becomes integers: entries are multiplied by `factor` and rounded to the nearest integer, and a row
/// whose integer vector is longer than `longest` (which a legal row never is) or not a number contributes zero.
struct RowRounding {
  double factor;
  double longest;
};

/// Sums of integer vectors. They are held in doubles, exactly: a run has at most 2^12 rows of entries below 2^31.
class IntegerSums {
 public:
  IntegerSums(const RowRounding& rounding, std::size_t entries)
      : entries(static_cast<Eigen::Index>(entries)),
        factor(rounding.factor),
        longest2_(rounding.longest * rounding.longest),
        totals_(Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(entries))) {}

  /// Adds `entries`, which have been multiplied by `factor` and are below 2^51. NaN fails the check.
  void add() {
    constexpr double kMagic = 0x1.8p52;
    entries = (entries + kMagic) - kMagic;  // nearest integers, halves to even
    if (entries.square().sum() <= longest2_) totals_ += entries;
  }
  void give(std::span<std::int64_t> sums) const {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += static_cast<std::int64_t>(totals_[static_cast<Eigen::Index>(j)]);
    }
  }

  Eigen::ArrayXd entries;
  double factor;

 private:
  double longest2_;
  Eigen::ArrayXd totals_;
};

/// Entries of the upper triangle by rows of a symmetric matrix, those off the diagonal times sqrt(2): as long as its
/// Frobenius norm.
[[nodiscard]] constexpr std::size_t triangle_entries(std::size_t dim) { return dim * (dim + 1) / 2; }

/// The triangle of scale z z'.
inline void set_triangle(const Position& z, double scale, Eigen::ArrayXd& entries) {
  const double across = scale * std::sqrt(2.0);
  Eigen::Index entry = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const Eigen::Index rest = z.size() - i - 1;
    entries[entry] = scale * z[i] * z[i];
    entries.segment(entry + 1, rest) = (across * z[i]) * z.tail(rest).array();
    entry += rest + 1;
  }
}

/// Numbers of the rows of one tile, and their vectors.
using TileNumbers = Eigen::Array<double, kTile, 1>;
using TileVectors = Eigen::Matrix<double, kTile, Eigen::Dynamic>;

/// Calls per_tile(x) for each tile, and then per_row(lane, y) for each of its rows that counts.
template <class PerTile, class PerRow>
void for_each_row(const GlmTiles& tiles, const PerTile& per_tile, const PerRow& per_row) {
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  const std::size_t stride = (tiles.predictors + 2) * kTile;
  for (std::size_t t = 0; t < tiles.count; ++t) {
    const double* tile = tiles.data + t * stride;
    const Eigen::Map<const TileVectors> x(tile, kTile, dim);
    const Eigen::Map<const TileNumbers> y(tile + tiles.predictors * kTile);
    const Eigen::Map<const TileNumbers> counts(tile + (tiles.predictors + 1) * kTile);
    per_tile(x);
    for (Eigen::Index lane = 0; lane < static_cast<Eigen::Index>(kTile); ++lane) {
      if (counts[lane] != 0) per_row(lane, y[lane]);
    }
  }
}

/// A row under a weighting: z is the row in the frame, c its weight.
template <class Response>
struct WeightedRow {
  const Position& z;
  double c;
  double y, mean;
  Response response;
  BoundedResidual residual;
};

/// Calls visit(row) with a WeightedRow for each row that counts.
template <class Visit>
void for_each_weighted_row(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                           const Visit& visit) {
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  TileVectors z(kTile, dim);
  TileNumbers eta;
  Position row(dim);
  with_response(link, [&](auto response) {
    for_each_row(
        tiles,
        [&](const auto& x) {
          z.noalias() = x * weighting.frame.transpose();
          eta = x * weighting.at;
        },
        [&](Eigen::Index lane, double y) {
          row = z.row(lane);
          const double length2 = row.squaredNorm();
          const double mean = response.mean(eta[lane]);
          const BoundedResidual r = response.residual(y, mean, weighting.clip, weighting.dispersion);
          const double c = std::min({1.0, weighting.score_bound / (r.largest * std::sqrt(length2)),
                                     weighting.information_bound / (r.largest_slope * length2)});
          visit(WeightedRow<decltype(response)>{row, c, y, mean, response, r});
        });
  });
}

}  // namespace sotto
