// Whether responses vary alike in all groups of the rows, from released histograms of their residuals group by group.
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/taken_off.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// Groupings: one for every category, whose levels are its groups, and for every other column, which is cut at its mean; those of
/// categories first, twelve at the most. The rarer its smallest group, the larger is a grouping's weight.
[[nodiscard]] GroupedResidualsQuery grouped_residuals_query(const OnceFacts& facts, const StandIn& stand_in,
                                                            const ResidualSpread& spread, const Position& at,
                                                            Rho cost);

/// That a grouping's groups vary each in their own way.
struct GroupedLaws {
  double log_odds;  ///< of what was released: over that all of them vary as the rows do together
  TakenOff more;    ///< by the clips, one below another, than if they did
};

/// One for each of the query's groupings. `release`: of score and information at the same position, nothing put back, and its mode.
/// Computes   the law of each group's responses given its cells: at odds of one to one that of all rows, as the model has it or as the
///            other rows do; or one of posterior/group_laws.hpp. A law says where the true mean lies, as the mean of clipped
///            residuals is what the score has found; cells must agree with both. What a clip takes off is G w: w the
///            coefficients' move to the true mean in the group's rows, by least squares, G the information
/// Checked by tests/posterior/grouped_residuals_test.cpp: a_level_with_longer_tails_is_found, alike_levels_are_left_alone
[[nodiscard]] std::vector<GroupedLaws> laws_by_group(const PlanPoint& point, const BoundsPlan& plan,
                                                     const GroupedResidualsQuery& query,
                                                     const NoisyVector& answer,
                                                     const std::vector<double>& clips,
                                                     const PooledRelease& release, const NormalBase& mode);

}  // namespace sotto
