// Laws that responses of a group of rows may have.
#pragma once

#include <memory>
#include <vector>

#include "sotto/posterior/bounds_plan.hpp"

namespace sotto {

/// The rows of a group, as the stand-in has them.
struct GroupRows {
  double share;
  Position mean;         ///< of their columns
  double predictor, sd;  ///< mean and standard deviation of their linear predictors, fitted
};

class GroupLaw {
 public:
  GroupLaw() = default;
  GroupLaw(const GroupLaw&) = delete;
  GroupLaw& operator=(const GroupLaw&) = delete;
  virtual ~GroupLaw() = default;

  /// Shares of the bins of residuals (GroupedResidualsQuery), where true predictors are the fitted ones and `move`.
  [[nodiscard]] virtual Position shares(const GroupRows& rows, const Position& edges, double move) const = 0;
  /// That move, where the mean of clipped residuals is as if true predictors were the fitted ones and `shift`, by the law that the
  /// score takes for granted.
  [[nodiscard]] virtual double true_move(const GroupRows& rows, double clip, double shift) const = 0;
};

using GroupLawList = std::vector<std::unique_ptr<GroupLaw>>;

/// The first is the likeliest law of all rows; the others: gamma and log-normal effects of several sizes.
/// Checked by tests/posterior/group_laws_test.cpp: counts_are_where_their_clipped_mean_says
[[nodiscard]] GroupLawList count_laws(const PlanPoint& point, const BoundsPlan& plan);

/// The first is normal, as all rows' residuals; the others: normal ones, and log-normal ones to either side, of several sizes.
/// Checked by tests/posterior/group_laws_test.cpp: skewed_residuals_are_where_their_clipped_mean_says
[[nodiscard]] GroupLawList normal_laws(const BoundsPlan& plan);

}  // namespace sotto
