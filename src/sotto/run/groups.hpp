// Varying intercepts and slopes as they are reported: a fit has differences between levels, people ask for deviations and their
// spread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/model/design.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/prior/varying_effects.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

/// Given a fit's differences, everything else is drawn, so that draws stay draws from the posterior.
class Groups {
 public:
  Groups() = default;
  explicit Groups(std::vector<DesignGroup> groups) : groups_(std::move(groups)) {}

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  /// Priors of the differences. `scales`: of the half-t priors of the groups' spreads, on scaled columns as a position is.
  [[nodiscard]] std::vector<VaryingEffects> priors(const std::vector<double>& scales) const;
  /// Of the design, for each group.
  [[nodiscard]] std::vector<VaryingColumns> columns() const;
  /// Whether a column of the design is a group's.
  [[nodiscard]] bool has(Eigen::Index column) const;

  /// Names as reported: without the differences, then for each group sd(name) and name[level] of all levels.
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& parameters) const;
  /// `reported`: the intercept first, then what the design's other columns have. The first level's deviation leaves the
  /// intercept, or the slope.
  [[nodiscard]] Position complete(const Position& reported,
                                  const std::vector<VaryingEffects::Drawn>& drawn) const;
  /// `complete` of all draws.
  void complete(Draws& draws, const std::vector<double>& scales, std::uint64_t seed) const;
  /// What was `reported`, from what `complete` made of it.
  [[nodiscard]] Position differences(const Position& completed) const;
  /// What stands where nothing is drawn: the differences' own spread and mean.
  [[nodiscard]] std::vector<VaryingEffects::Drawn> plain(const Position& reported) const;
  /// Of the groups' parameters alone.
  [[nodiscard]] std::vector<PriorDescription> describe(const std::vector<double>& scales) const;

 private:
  [[nodiscard]] std::vector<double> as_reported(std::vector<double> scales) const;

  std::vector<DesignGroup> groups_;
};

}  // namespace sotto
