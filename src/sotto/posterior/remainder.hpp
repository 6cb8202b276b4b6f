// What a residual's clip takes off the score, direction by direction: as the law of residuals says, and as a wider clip shows.
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/grouped_residuals.hpp"
#include "sotto/posterior/taken_off.hpp"

namespace sotto {

/// As the histogram of residuals says, which knows of the mean and of the fitted value's direction alone: normal responses may
/// be skewed, counts may vary otherwise than planned. `information`: released, the score's slope.
[[nodiscard]] TakenOff taken_off(const PlanPoint& point, const BoundsPlan& plan, const Matrix& information);

/// Asks what a clip half as wide again would put back.
[[nodiscard]] RemainderQuery remainder_query(const PlanPoint& point, const BoundsPlan& plan, Rho cost);

/// Given the answer, and what histograms of groups say of the same two clips. Some rows may have tails that others do not have: if all of a tail sat with rows like one of them, drawn
/// at random, what a clip takes off would be so many times that row's vector. How much there is of that, if any, is as
/// likely as the answer says.
/// Computes   mean and covariance of t = b + u given the answer ~ N(b - b' + seen u, noise); b and b' what this clip and the wider
///            one take off as the histograms say, u ~ sum_k w_k N(0, tau_k^2 n^2 V), V the second moments of a random row less what
///            the histogram knows
/// Checked by tests/posterior/remainder_test.cpp: effects_of_a_group_with_skewed_errors_are_near, little_is_moved_where_the_model_holds,
///            tails_that_all_rows_have_stay_where_histograms_see_them
[[nodiscard]] TakenOff taken_off(const PlanPoint& point, const BoundsPlan& plan, const Matrix& information,
                                 const RemainderQuery& query, const NoisyVector& answer,
                                 const std::vector<GroupedLaws>& groups);

/// What that did to each coefficient: how far it moved, and how much wider it is, in its standard deviations before.
struct CoefficientChange {
  Position moved, wider;
};
/// `spread`: covariance of the score with `to` and its noise in it.
[[nodiscard]] CoefficientChange change_of(const TakenOff& from, const TakenOff& to, const Matrix& information,
                                          const Matrix& spread, const Matrix& frame);

}  // namespace sotto
