// Whether columns' effects are curved: the score of their squares, or of what levels off, where the model has none.
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/pooled_release.hpp"

namespace sotto {

/// Columns of the design that can show a curve: those of more than two values.
[[nodiscard]] std::vector<Eigen::Index> columns_for_curves(const OnceFacts& facts);

/// Whether a column has a long upper tail or many zeros, as far as its released mean and spread, and its declared upper bound, tell.
[[nodiscard]] bool long_tailed(const OnceFacts& facts, const StandIn& stand_in, Eigen::Index column);

/// `columns`: at least one.
[[nodiscard]] CurvesQuery curves_query(const PlanPoint& point, const BoundsPlan& plan,
                                       const std::vector<Eigen::Index>& columns, Rho cost);

struct Curves {
  struct Levelling {
    Eigen::Index column;
    double off;   ///< of what levels off, in standard deviations: above 0, it scores higher than the line
    bool hidden;  ///< the noise may hide that the effect is no line, where that would matter
  };
  std::vector<Eigen::Index> curved;  ///< columns whose effect is no line
  std::vector<Levelling> levelling;  ///< of the others, those that were asked about an effect that levels off
};

/// Curves that stand clear of noise, of sampling (`dispersion`: of the residual, per row), and of where the mode lies from the asked
/// position (`mode`), which noise hides (`noise_sd`: of the linear predictor, along one column).
/// Checked by tests/posterior/curves_test.cpp: lines_are_not_curved, a_square_that_the_model_leaves_out_is_found,
///            an_effect_that_levels_off_is_found
[[nodiscard]] Curves find_curves(const CurvesQuery& query, const NoisyVector& score, const PlanPoint& point,
                                 const BoundsPlan& plan, double dispersion, const NormalBase& mode,
                                 double noise_sd);

}  // namespace sotto
