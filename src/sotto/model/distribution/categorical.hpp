// A category: one draw of a multinomial, as a model of rows and as the counts of its levels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/exponential_family.hpp"
#include "sotto/model/model.hpp"
#include "sotto/model/per_row.hpp"

namespace sotto::distribution {

/// A row is the number of a level, 0 .. levels - 1; position: log odds of levels 1, 2, .. against level 0. Of a row that is none of
/// these nothing is told.
/// Computes   log p(row | at) = at_row - log(1 + sum exp(at)), with at_0 = 0
/// Checked by tests/model/distribution_test.cpp: categorical_is_the_law_of_its_name, bounds_enclose_every_row_and_are_reached
/// Checked by tests/model/distribution_test.cpp: levels_are_counted_as_rows_would_be
class Categorical {
 public:
  explicit Categorical(std::size_t levels) : levels_(levels) {}

  [[nodiscard]] std::size_t levels() const { return levels_; }
  [[nodiscard]] Eigen::Index dim() const { return static_cast<Eigen::Index>(levels_) - 1; }
  [[nodiscard]] static double log_normaliser(const Position& at) {
    const double largest = std::fmax(0, at.maxCoeff());
    return largest + std::log(std::exp(-largest) + (at.array() - largest).exp().sum());
  }

  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    const std::size_t level = level_of(row);
    if (level == levels_) return 0;
    return (level == 0 ? 0 : at[static_cast<Eigen::Index>(level) - 1]) - log_normaliser(at);
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    const std::size_t level = level_of(row);
    if (level == levels_) {
      out.setZero();
      return;
    }
    out = -(at.array() - log_normaliser(at)).exp();
    if (level > 0) out[static_cast<Eigen::Index>(level) - 1] += 1;
  }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    const double normaliser = log_normaliser(to) - log_normaliser(from);
    const Position move = to - from;
    return {std::fmin(0, move.minCoeff()) - normaliser, std::fmax(0, move.maxCoeff()) - normaliser};
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    const Position chance = (at.array() - log_normaliser(at)).exp();
    double longest = scale.cwiseProduct(chance).norm();
    for (Eigen::Index k = 0; k < at.size(); ++k)
      longest = std::fmax(longest, scale.cwiseProduct(Position::Unit(at.size(), k) - chance).norm());
    return {longest, 2 * longest};
  }

  // As a Model (model/model.hpp): rows of one level contribute alike, so each level's contribution is made once.
  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const {
    const std::vector<std::int64_t> having = count_levels(rows, first, count);
    for (std::size_t k = 0; k < levels_; ++k) {
      const auto level = static_cast<double>(k);
      const std::span row(&level, 1);
      for (std::size_t r = 0; r < tasks.size(); ++r) {
        sums[r] +=
            having[k] * clamp_change(scale * log_density(row, *tasks[r].from),
                                     scale * log_density(row, *tasks[r].to), tasks[r].lower, tasks[r].upper);
      }
    }
  }
  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
    const std::vector<std::int64_t> having = count_levels(rows, first, count);
    const std::size_t size = levels_ - 1;
    Position slope(dim());
    std::vector<std::int64_t> one(size);
    for (std::size_t k = 0; k < levels_; ++k) {
      const auto level = static_cast<double>(k);
      for (std::size_t g = 0; g < tasks.size(); ++g) {
        gradient(std::span(&level, 1), *tasks[g].at, slope);
        std::fill(one.begin(), one.end(), 0);
        add_shortened(slope, tasks[g], one);
        for (std::size_t j = 0; j < size; ++j) sums[g * size + j] += having[k] * one[j];
      }
    }
  }

  // As a RowStatistic (model/exponential_family.hpp): one entry a level, 1 for the row's own and 0 for the others.
  [[nodiscard]] std::size_t size() const { return levels_; }
  /// A row has one entry of 1; two rows of different levels differ in two.
  [[nodiscard]] static VectorBound bound() { return {1, std::sqrt(2.0)}; }
  void entries(std::span<const double> row, double steps, std::span<double> /*raw*/,
               std::span<std::int64_t> out) const {
    const std::size_t level = level_of(row);
    for (std::size_t k = 0; k < levels_; ++k) out[k] = k == level ? static_cast<std::int64_t>(steps) : 0;
  }
  /// log p of all rows is coefficients(at) . sum of entries.
  [[nodiscard]] Position coefficients(const Position& at) const {
    Position result(at.size() + 1);
    result[0] = 0;
    result.tail(at.size()) = at;
    return result.array() - log_normaliser(at);
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> count_levels(const Rows& rows, std::size_t first,
                                                       std::size_t count) const {
    std::vector<std::int64_t> having(levels_ + 1, 0);
    for (std::size_t t = first; t < first + count; ++t) {
      const double* tile = rows.tile(t);
      for (std::size_t lane = 0; lane < kTile; ++lane) {
        if (tile[rows.columns() * kTile + lane] != 0) ++having[level_of({tile + lane, 1})];
      }
    }
    return having;
  }
  /// `levels_`: none.
  [[nodiscard]] std::size_t level_of(std::span<const double> row) const {
    for (std::size_t k = 0; k < levels_; ++k) {
      if (row[0] == static_cast<double>(k)) return k;
    }
    return levels_;
  }

  std::size_t levels_;
};

static_assert(Model<Categorical>);
static_assert(RowStatistic<Categorical>);

}  // namespace sotto::distribution
