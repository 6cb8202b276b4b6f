// Whether columns' effects are curved: the score of their squares, where the model has none.
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"

namespace sotto {

/// Columns of the design that can show a curve: those of more than two values.
[[nodiscard]] std::vector<Eigen::Index> columns_for_curves(const OnceFacts& facts);

/// `columns`: at least one.
[[nodiscard]] CurvesQuery curves_query(const PlanPoint& point, const BoundsPlan& plan,
                                       std::vector<Eigen::Index> columns, Rho cost);

/// Columns whose square stands clear of noise, of sampling (`dispersion`: of the residual, per row), and of `move`, the linear predictor's distance from the asked
/// position to the mode.
/// Checked by tests/posterior/curves_test.cpp: lines_are_not_curved, a_square_that_the_model_leaves_out_is_found
[[nodiscard]] std::vector<Eigen::Index> curved_columns(const CurvesQuery& query, const NoisyVector& score,
                                                       const BoundsPlan& plan, double rows, double dispersion,
                                                       double move);

}  // namespace sotto
