// What weights leave of the rows of a part: less of rows that lie far from the others because one of their values is rare.
#pragma once

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// Mean weight of the rows of each part at a plan for a position. Where a unit's rows stand side by side, and of ordered categories, whose
/// weights are of other sums, the plan's for all parts.
/// Computes   min(kept_weight(score_bound / (M |z|)), information_bound / (b |z|^2)), |z|^2 the mean over the part's rows, M and b at
///            their mean linear predictor (BoundedWeighting)
/// Checked by tests/posterior/part_weights_test.cpp: are_those_of_simulated_rows
[[nodiscard]] Position part_weights(const StandIn& stand_in, const Matrix& frame, const Position& at,
                                    const BoundsPlan& plan, const OnceFacts& facts);

}  // namespace sotto
