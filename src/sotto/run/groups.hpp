// Varying intercepts as they are reported: a fit has differences between levels, people ask for deviations and their spread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/model/design.hpp"
#include "sotto/prior/varying_intercepts.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

/// Given a fit's differences, everything else is drawn, so that draws stay draws from the posterior.
class Groups {
 public:
  Groups() = default;
  explicit Groups(std::vector<DesignGroup> groups) : groups_(std::move(groups)) {}

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  /// Priors of the differences. `scale`: of the half-t prior of every group's spread.
  [[nodiscard]] std::vector<VaryingIntercepts> priors(double scale) const;
  /// Of the design, for each group.
  [[nodiscard]] std::vector<std::vector<Eigen::Index>> columns() const;
  /// Whether a column of the design is a group's.
  [[nodiscard]] bool has(Eigen::Index column) const;

  /// Names as reported: without the differences, then for each group sd(name) and name[level] of all levels.
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& parameters) const;
  /// `reported`: the intercept first, then what the design's other columns have. The first level's deviation leaves the
  /// intercept.
  [[nodiscard]] Position complete(const Position& reported,
                                  const std::vector<VaryingIntercepts::Drawn>& drawn) const;
  /// Likewise of all draws.
  void complete(Draws& draws, double scale, std::uint64_t seed) const;
  /// What stands where nothing is drawn: the differences' own spread and mean.
  [[nodiscard]] std::vector<VaryingIntercepts::Drawn> plain(const Position& reported) const;
  /// Of the groups' parameters alone.
  [[nodiscard]] std::vector<PriorDescription> describe(double scale) const;

 private:
  std::vector<DesignGroup> groups_;
};

}  // namespace sotto
