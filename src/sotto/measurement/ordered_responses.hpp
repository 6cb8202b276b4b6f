// What passes over responses in ordered categories share: a bounded weighted score of all thresholds of one response.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/measurement/regression_rows.hpp"

namespace sotto {

/// A response under a weighting: s, c and S of release/regression_query.hpp.
struct OrderedResponse {
  Position score;  ///< s
  double c = 0;
  double largest = 0;  ///< S
  Matrix rows;         ///< z_k by column
  Position slopes;     ///< w_k m_k (1 - m_k)

  /// The triangle of scale times the sum over k of slope_k z_k z_k'.
  void information(double scale, Eigen::ArrayXd& entries) const {
    const Matrix sum = scale * (rows * slopes.asDiagonal() * rows.transpose());
    Eigen::Index entry = 0;
    for (Eigen::Index i = 0; i < sum.rows(); ++i) {
      for (Eigen::Index j = i; j < sum.cols(); ++j)
        entries[entry++] = sum(i, j) * (i == j ? 1 : std::sqrt(2.0));
    }
  }
};

/// P(y > k) of a response whose linear predictor without thresholds' own columns is `common`.
inline double threshold_mean(const RowLaw& law, const Position& at, double common, Eigen::Index k) {
  return BinaryResponse::mean(common + (k == 0 ? 0 : at[law.pieces.first + k - 1]));
}

/// Calls visit(response) with an OrderedResponse for each response: where its first row stands, which tells all of the others.
/// S runs over all categories: from one to the next s gains w_k z_k.
/// Checked by tests/measurement/ordered_sums_test.cpp: add_up_what_the_question_says
template <class Visit>
void for_each_ordered_response(const RowLaw& law, const GlmTiles& tiles, const BoundedWeighting& weighting,
                               const Visit& visit) {
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  const auto thresholds = static_cast<Eigen::Index>(law.pieces.count);
  FramedTile tile(law, weighting);
  OrderedResponse response{Position(dim), 0, 0, Matrix(dim, thresholds), Position(thresholds)};
  for_each_row(
      tiles, [&](const auto& x) { tile.read(x); },
      [&](Eigen::Index lane, double y) {
        if (tile.piece[lane] != 0 || std::isnan(y)) return;
        Position score = Position::Zero(dim);  // of the first category
        double trace = 0;
        for (Eigen::Index k = 0; k < thresholds; ++k) {
          response.rows.col(k) = tile.z.row(lane);
          if (k > 0) response.rows.col(k) += weighting.frame.col(law.pieces.first + k - 1);
          const double mean = threshold_mean(law, weighting.at, tile.common[lane], k);
          score -= weighting.thresholds[k] * mean * response.rows.col(k);
          response.slopes[k] = weighting.thresholds[k] * mean * (1 - mean);
          trace += response.slopes[k] * response.rows.col(k).squaredNorm();
        }
        response.largest = length_of(score);
        response.score = score;
        for (Eigen::Index k = 0; k < thresholds; ++k) {
          score += weighting.thresholds[k] * response.rows.col(k);
          response.largest = std::max(response.largest, length_of(score));
          if (y > static_cast<double>(k)) response.score = score;
        }
        response.c = std::min(weight_within(weighting.score_bound, response.largest),
                              weight_within(weighting.information_bound, trace));
        visit(response);
      });
}

}  // namespace sotto
