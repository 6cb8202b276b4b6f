// Rows that weights leave little of because they lie far out: are there any, and do they follow the others?
#pragma once

#include <vector>

#include "sotto/posterior/bounds_plan.hpp"

namespace sotto {

struct LightRows {
  double share = 0;                     ///< of the rows, as released
  bool clear = false;                   ///< that stands clear of its noise
  std::vector<Eigen::Index> columns{};  ///< in whose direction they leave the model that fits the others
  Position
      lean{};  ///< how far they do, in standard deviations, by columns: above 0, responses are higher; empty: not looked at
  double hides =
      0;  ///< two of these standard deviations: what they could add to the score unseen, in its unit
};

/// `move`: the linear predictor's distance from the asked position to where it may be. Columns are looked at where
/// the count stands clear of noise, and told where three standard deviations of noise, of sampling, and of that are passed.
/// Checked by tests/posterior/light_rows_test.cpp: that_follow_the_others_are_not_told, that_do_not_follow_the_others_lean
[[nodiscard]] LightRows light_rows(const PlanPoint& point, const BoundsPlan& plan, const NoisyVector& answer,
                                   double move);

}  // namespace sotto
