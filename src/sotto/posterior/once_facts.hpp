// What release-once knows of a regression before it asks anything: all of it public.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/posterior/unit_sizes.hpp"

namespace sotto {

/// Columns whose coefficients are levels' deviations from the first level's, which stands in that of column `mean`.
struct VaryingColumns {
  std::vector<Eigen::Index> columns;
  Eigen::Index mean = 0;

  [[nodiscard]] double levels() const { return static_cast<double>(columns.size()) + 1; }
};

struct OnceFacts {
  Link link =
      Link::logit;  ///< logit: binary responses; log: counts; identity: normal responses; log_rate: events
  std::optional<double> sigma;  ///< normal responses: known sigma; none: unknown
  Interval response{0, 1};      ///< legal responses
  bool steps = false;           ///< log: responses are no counts but steps of their upper bound
  bool intercept = true;        ///< column 0 of the design is constant 1
  Position
      levels{};  ///< without an intercept: what all levels of a category add up to 1 with; empty: there is no such one
  Position column_mean;         ///< guess of each column's mean over the rows
  Position column_sd;           ///< and of its standard deviation, > 0 except of the intercept
  std::vector<Interval> range;  ///< per column: the values the schema allows
  std::vector<bool> indicator;  ///< per column: takes two values alone
  std::vector<bool>
      from_zero;  ///< per column: its declared values begin at zero, which many quantities cannot fall below
  std::vector<bool>
      codes{};  ///< per column: its values may be codes or a scale of few numbers; empty: all may
  std::vector<std::vector<Eigen::Index>>
      factors{};  ///< columns that are levels of one category each: of a row at most one takes its upper value
  std::optional<double> offset;  ///< the last column's coefficient, where it is known; its prior says so too
  std::vector<VaryingColumns> groups{};  ///< where intercepts or slopes vary between a category's levels
  std::optional<double> rows;            ///< their number, where it is public
  std::optional<double>
      times{};  ///< of times at risk likewise, each of which is as many rows as it lived through
  Adjacency adjacency = Adjacency::substitute;
  double pieces = 1;  ///< of a response, each a row: of a time at risk, or thresholds of ordered categories
  std::optional<Eigen::Index>
      thresholds{};  ///< of ordered categories: the second threshold's column, followed by the others'; the first has none
  Position threshold_weights{};  ///< likewise, once they are released
  double unit_rows =
      1;  ///< most rows of a privacy unit that are bounded one by one, times the square root of the number of owners
  std::size_t side_by_side =
      1;  ///< most rows of a unit whose rows stand side by side (base/privacy_unit.hpp)
  std::optional<UnitSizes> unit_sizes{};  ///< of such units, once they are released

  [[nodiscard]] Eigen::Index dim() const { return column_mean.size(); }
  /// The position whose linear predictor is 1 in every row; empty where there is none.
  [[nodiscard]] Position constant() const { return intercept ? Position(Position::Unit(dim(), 0)) : levels; }
  /// Whether the spread of residuals is unknown, and a parameter.
  [[nodiscard]] bool has_sigma() const { return link == Link::identity && !sigma; }
  /// Columns whose coefficients are asked for, the intercept's too: all but an offset.
  [[nodiscard]] Eigen::Index unknown() const { return dim() - (offset ? 1 : 0); }
  [[nodiscard]] bool in_group(Eigen::Index column) const {
    return std::any_of(groups.begin(), groups.end(), [column](const VaryingColumns& group) {
      return std::find(group.columns.begin(), group.columns.end(), column) != group.columns.end();
    });
  }
  [[nodiscard]] bool is_threshold(Eigen::Index column) const {
    return thresholds && column >= *thresholds &&
           column < *thresholds + static_cast<Eigen::Index>(pieces) - 1;
  }
  /// Guess of each column's root mean square.
  [[nodiscard]] Position column_scale() const {
    return (column_mean.array().square() + column_sd.array().square()).sqrt();
  }
  [[nodiscard]] bool clips() const { return sotto::clips(link); }
  /// Rows of an average unit: a mean over its rows, times that, stands for a sum over them.
  [[nodiscard]] double mean_unit_rows() const { return unit_sizes ? unit_sizes->mean() : 1; }
  /// Sensitivities in units of a row's bound, as far as plans need them; the answers' variances are what counts. Scores of all pieces
  /// of a response share a bound, moments and histograms do not. Of units whose rows stand side by side scores are in units of the
  /// unit's bound, and moments and histograms, which are means over its rows, are taken times mean_unit_rows().
  [[nodiscard]] double vector_reach() const {
    return unit_rows * (adjacency == Adjacency::substitute ? 2 : 1);
  }
  [[nodiscard]] double matrix_reach() const {
    return unit_rows * mean_unit_rows() * pieces *
           (adjacency == Adjacency::substitute ? 1.4142135623730951 : 1);
  }
};

/// A joint normal prior, or the normal that stands in for another; directions of no precision are flat.
struct JointNormalPrior {
  Matrix precision;
  Position location;
};

}  // namespace sotto
