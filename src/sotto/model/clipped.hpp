// Clipping: rows whose contribution exceeds a set bound contribute less than they should. The chain then
// targets another distribution: whoever uses this reports it as approximate.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// A model whose gradient pass honours GradientTask::clip. Every pass clamps ratios.
template <class M>
concept ClippableModel = Model<M> && requires {
  { M::kClipsGradients } -> std::convertible_to<bool>;
} && M::kClipsGradients;

struct ClipBounds {
  double ratio = std::numeric_limits<double>::infinity();     ///< of |log ratio of a row| / |to - from|
  double gradient = std::numeric_limits<double>::infinity();  ///< of |gradient of a row|; finite
};

/// Adjacency    any
/// Sensitivity  ratios are clamped as integers to the smaller of the model's own range and +- ratio * |to -
///              from|; gradients are shortened to norm `gradient` before they are scaled and rounded, so a
///              scaled one is no longer than gradient * max scale, and two differ by at most twice that. A
///              gradient of norm zero or not a number contributes zero (erratum E16).
/// Source       [RKH21, Section 3]
/// Checked by   tests/model/clipped_test.cpp: every_contribution_stays_inside_its_bound
template <ClippableModel M>
class Clipped {
 public:
  static constexpr bool kClipsGradients = true;

  Clipped(M model, ClipBounds bounds) : model_(std::move(model)), bounds_(bounds) {
    if (!(bounds.ratio > 0) || !(bounds.gradient > 0) || !std::isfinite(bounds.gradient))
      throw Error(ErrorCode::configuration, "clip bounds must be positive, and finite for gradients");
  }

  [[nodiscard]] Eigen::Index dim() const { return model_.dim(); }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    const Interval own = model_.ratio_range(from, to);
    const double reach = bounds_.ratio * (to - from).norm();
    return {std::max(own.lower, -reach), std::min(own.upper, reach)};
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    if (!at.allFinite()) return {NAN, NAN};
    const double norm = bounds_.gradient * scale.cwiseAbs().maxCoeff();
    return {norm, 2 * norm};
  }
  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const {
    model_.add_ratios(rows, first, count, tasks, scale, sums);
  }
  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
    std::vector<GradientTask> clipped(tasks.begin(), tasks.end());
    for (GradientTask& task : clipped) task.clip = std::min(task.clip, bounds_.gradient);
    model_.add_gradients(rows, first, count, clipped, sums);
  }

 private:
  M model_;
  ClipBounds bounds_;
};

}  // namespace sotto
