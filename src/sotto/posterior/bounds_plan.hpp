// How far one row may pull: the bounds of a weighting at a position, from released numbers.
#pragma once

#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/residual_spread.hpp"
#include "sotto/posterior/stand_in.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// Of a typical row's length: a weight of that bound binds on the long half of the rows.
inline constexpr double kTypicalToMean = 0.83;

struct BoundsPlan {
  double score_bound = 0;
  double information_bound = 0;
  double clip = 1;
  double typical = 0;           ///< largest residual of a typical row
  double residual_scale = 1;    ///< standard deviation of residuals; of counts in units of that of their law
  double count_dispersion = 0;  ///< counts vary with m + count_dispersion m^2
  double width = 1;             ///< the bounds are so many times (information: its square) a typical row's
  double unit_rows = 1;  ///< times that, where they are those of units: rows that a unit counts as at most
  double kept = 1;       ///< mean weight of rows
  std::optional<double> longest_score{};  ///< of a unit, for its squares
  Position thresholds{};                  ///< of ordered categories: their weights
  double level = 0;                       ///< information per row and direction
  double dispersion = 0;                  ///< variance of the residual per row and direction
  /// Variances of the releases' noise at width 1, over the information or the score's own variance.
  double score_noise = 0;
  double information_noise = 0;

  [[nodiscard]] BoundedWeighting weighting(const Position& at, const Matrix& frame) const {
    return {at, frame, score_bound, information_bound, clip, count_dispersion, thresholds};
  }
};

/// Where bounds are planned.
struct PlanPoint {
  const OnceFacts& facts;
  const StandIn& stand_in;
  const Matrix& frame;
  const Position& at;
  ResidualSpread spread;  ///< logistic: not used
};

/// `share`: of the cost, for score and information together. The width is the largest that costs little more variance than the best: noise
/// grows with it, lost weight falls. Rows that keep their weight keep the answer where it would be without weights, also where the
/// model does not hold.
/// Computes   max width with v(width) <= min v + 0.02, up to `kUsualBounds`; beyond, up to ten as long as noise is a hundredth of what
///            sampling brings. With c_k the parts' mean weights, S_k their informations, S = sum S_k and G = sum c_k S_k,
///            v = tr S G^-1 (sum c_k^2 (1 + 0.35 (1 - c_k)) S_k + noise(width)) G^-1 / d
/// Source     sandwich [H67]; 0.35 is a fit to box covariates (docs/release-once.md); any width is valid
/// Checked by tests/posterior/bounds_plan_test.cpp: are_narrower_where_a_level_is_rare_and_noise_counts
[[nodiscard]] BoundsPlan plan_bounds(const PlanPoint& point, const PaidQuestions& questions, double share);

/// What `width` is at the most, but where there is as good as no noise.
inline constexpr double kUsualBounds = 3;

/// Mean weight of rows at this width: 1 - exp(-3 t - t^2) / 4, t = width - 1; in proportion to widths below 0.95.
[[nodiscard]] double kept_weight(double width);

}  // namespace sotto
