// A model written one row at a time, as a user writes one, made into a model of tiles.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/model/model.hpp"

namespace sotto {

/// log_density(row, at)         of one row; terms free of `at` may be left out. Any bits may come out, also NaN
/// gradient(row, at, out)       in `at`, into out (dim)
/// ratio_range, gradient_bound  as for Model
template <class M>
concept RowModel = requires(const M& model, std::span<const double> row, const Position& at, Position& out) {
  { model.dim() } -> std::convertible_to<Eigen::Index>;
  { model.ratio_range(at, at) } -> std::same_as<Interval>;
  { model.gradient_bound(at, at) } -> std::same_as<VectorBound>;
  { model.log_density(row, at) } -> std::convertible_to<double>;
  model.gradient(row, at, out);
};

/// Rounds half to even, clamps, and turns NaN into 0.
[[nodiscard]] inline std::int64_t clamp_change(double before, double after, std::int64_t lower,
                                               std::int64_t upper) {
  const double change = std::nearbyint(after) - std::nearbyint(before);
  if (std::isnan(change)) return 0;
  return static_cast<std::int64_t>(
      std::fmin(std::fmax(change, static_cast<double>(lower)), static_cast<double>(upper)));
}

/// Adds the integers of one row's gradient to `sums` (dim). A vector that is longer than what was priced is shortened to it; one
/// that is not finite contributes zero. `gradient` is changed on the way.
inline void add_shortened(Position& gradient, const GradientTask& task, std::span<std::int64_t> sums) {
  const auto shorten = [](Position& vector, double longest) {
    const double norm = vector.norm();
    if (!std::isfinite(norm)) return false;
    if (norm > longest) vector *= longest / norm;
    return true;
  };
  if (!shorten(gradient, task.clip)) return;
  gradient.array() *= task.factor.array();
  if (!shorten(gradient, task.longest)) return;
  for (std::size_t j = 0; j < sums.size(); ++j)
    sums[j] += static_cast<std::int64_t>(std::nearbyint(gradient[static_cast<Eigen::Index>(j)]));
}

template <RowModel M>
class PerRow {
 public:
  static constexpr bool kClipsGradients = true;
  explicit PerRow(M model) : model_(std::move(model)) {}

  [[nodiscard]] const M& model() const { return model_; }
  [[nodiscard]] Eigen::Index dim() const { return model_.dim(); }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    return model_.ratio_range(from, to);
  }
  /// What the pass enforces row by row, whatever the model's code does: a norm. So the diameter is twice
  /// that.
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    const double norm = model_.gradient_bound(at, scale).norm;
    return {norm, 2 * norm};
  }

  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const {
    for_each_row(rows, first, count, [&](std::span<const double> row) {
      for (std::size_t r = 0; r < tasks.size(); ++r) {
        sums[r] +=
            clamp_change(scale * model_.log_density(row, *tasks[r].from),
                         scale * model_.log_density(row, *tasks[r].to), tasks[r].lower, tasks[r].upper);
      }
    });
  }

  /// What is enforced is what was priced, whatever the model says of other scales.
  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
    const auto dim = static_cast<std::size_t>(model_.dim());
    Position gradient(model_.dim());
    for_each_row(rows, first, count, [&](std::span<const double> row) {
      for (std::size_t g = 0; g < tasks.size(); ++g) {
        model_.gradient(row, *tasks[g].at, gradient);
        add_shortened(gradient, tasks[g], sums.subspan(g * dim, dim));
      }
    });
  }

 private:
  template <class Visit>
  static void for_each_row(const Rows& rows, std::size_t first, std::size_t count, const Visit& visit) {
    std::vector<double> row(rows.columns());
    for (std::size_t t = first; t < first + count; ++t) {
      const double* tile = rows.tile(t);
      for (std::size_t lane = 0; lane < kTile; ++lane) {
        if (tile[rows.columns() * kTile + lane] == 0) continue;
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = tile[j * kTile + lane];
        visit(std::span<const double>(row));
      }
    }
  }

  M model_;
};

}  // namespace sotto
