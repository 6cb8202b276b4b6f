// Thresholds between ordered categories: coordinates of a chain, and what is reported.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/model/design.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// Reported is threshold k, with P(y <= k) = 1 / (1 + exp(-(threshold_k - eta))) and eta without an intercept: threshold_0 is minus
/// the intercept's coordinate, and threshold_k minus that less the coordinate of column k. Empty of other models.
class Thresholds {
 public:
  Thresholds() = default;
  /// Of a design whose response is ordered categories.
  explicit Thresholds(const Design& design)
      : names_(design.response().pieces()),
        categories_(design.response().source.levels),
        first_(design.pieces().first) {}

  [[nodiscard]] bool empty() const { return names_.empty(); }
  /// Whether a column's coefficient is a coordinate of thresholds, the intercept's too.
  [[nodiscard]] bool has(Eigen::Index column) const;
  /// N(m, 5^2), m where all categories are equally likely. Those of coordinates: thresholds' own are not set.
  [[nodiscard]] CoefficientPrior prior(Eigen::Index column) const;
  /// Zero without thresholds that cross.
  [[nodiscard]] LogPrior in_order(LogPrior prior) const;

  /// Puts the thresholds of a reported draw in order. They do not cross, so no threshold comes to lie farther from the truth on the
  /// whole than before.
  /// Source     [CFG10, Proposition 4]: monotone rearrangement
  template <class Draw>
  void rearrange(Draw&& draw) const {
    std::vector<double> values;
    values.reserve(names_.size());
    for (std::size_t k = 0; k < names_.size(); ++k) values.push_back(draw[column(k)]);
    std::sort(values.begin(), values.end());
    for (std::size_t k = 0; k < names_.size(); ++k) draw[column(k)] = values[k];
  }
  /// What to say of categories that hardly any response is.
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<Eigen::Index>& hardly_any) const;
  /// "low|high" instead of the columns' names.
  void name(std::vector<std::string>& parameters) const;
  /// Rows that give coefficients in original units now give thresholds.
  void report(Matrix& original) const;

 private:
  [[nodiscard]] Eigen::Index column(std::size_t threshold) const {
    return threshold == 0 ? 0 : first_ + static_cast<Eigen::Index>(threshold) - 1;
  }

  std::vector<std::string> names_, categories_;
  Eigen::Index first_ = 0;
};

}  // namespace sotto
