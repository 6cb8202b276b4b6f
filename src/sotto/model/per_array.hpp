// A model written for arrays of rows, as one in NumPy is, made into a model of tiles.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/model/model.hpp"
#include "sotto/model/per_row.hpp"

namespace sotto {

/// `rows`: shape (rows, columns).
/// log_densities(rows, at, out)   into out (rows); terms free of `at` may be left out. Any bits may come out, also NaN
/// gradients(rows, at, out)       in `at`, into out (dim, rows)
///                                both return false where the code failed on these rows, and tell nobody why
/// ratio_range, gradient_bound    as for Model
template <class M>
concept ArrayModel = requires(const M& model, const Matrix& rows, const Position& at, Position& numbers,
                              Matrix& vectors) {
  { model.dim() } -> std::convertible_to<Eigen::Index>;
  { model.ratio_range(at, at) } -> std::same_as<Interval>;
  { model.gradient_bound(at, at) } -> std::same_as<VectorBound>;
  { model.log_densities(rows, at, numbers) } -> std::same_as<bool>;
  { model.gradients(rows, at, vectors) } -> std::same_as<bool>;
};

/// Query        the sums of PerRow: of each row an integer clamped to its range, or a vector shortened to its bound
/// Adjacency    as declared. Where one row is exchanged and their number is public, a run of tiles is one array, in which every
///              row has its place: one that was left out, that a secret batch does not hold, and padding, stands there as `fill`
///              and is not counted. So neighbours' arrays, and those of batches that one row more is in, differ in one row. Elsewhere an array holds one row, and those left out are skipped
/// Sensitivity  that of PerRow. In an array of several rows it is, as long as a row's numbers, and whether the code fails on it, follow
///              from its values and its place alone, to the last bit: what the model's author promises, and python/sotto/trial.py tries. An array of one row
///              needs no such promise
/// Noise, charge, source: measurement/ratio.hpp, measurement/vector_noise.hpp
///
/// A row on which the code fails contributes zero, and is exchanged for `fill` at its place, so that the others' numbers stay
/// as they are. So they do where it fails on rows together alone.
///
/// Checked by   tests/model/per_array_test.cpp: keeps_places_where_a_row_is_exchanged, a_row_on_which_code_fails_takes_no_other_along,
///              rows_on_which_code_fails_together_take_no_other_along
/// Checked by   tests/measurement/batch_gradient_test.cpp: a_row_more_moves_no_others_place
template <ArrayModel M>
class PerArray {
 public:
  static constexpr bool kClipsGradients = true;

  /// `fill`: a legal row, public, shape (columns). `one_at_a_time`: arrays of one row, whatever the unit.
  PerArray(M model, Position fill, const PrivacyUnit& unit, bool one_at_a_time = false)
      : model_(std::move(model)),
        fill_(std::move(fill)),
        whole_runs_(unit.rows_are_public() && !one_at_a_time) {}

  [[nodiscard]] Eigen::Index dim() const { return model_.dim(); }
  [[nodiscard]] bool keeps_places() const { return whole_runs_; }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    return model_.ratio_range(from, to);
  }
  /// As PerRow's: a norm is what the pass enforces, so the diameter is twice that.
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    const double norm = model_.gradient_bound(at, scale).norm;
    return {norm, 2 * norm};
  }

  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const {
    for_each_array(rows, first, count, [&](const Matrix& array, const std::vector<Eigen::Index>& counted) {
      for (std::size_t r = 0; r < tasks.size(); ++r) {
        const Position before = log_densities(array, *tasks[r].from);
        const Position after = log_densities(array, *tasks[r].to);
        for (const Eigen::Index i : counted)
          sums[r] += clamp_change(scale * before[i], scale * after[i], tasks[r].lower, tasks[r].upper);
      }
    });
  }

  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
    const auto dim = static_cast<std::size_t>(model_.dim());
    Position gradient(model_.dim());
    for_each_array(rows, first, count, [&](const Matrix& array, const std::vector<Eigen::Index>& counted) {
      for (std::size_t g = 0; g < tasks.size(); ++g) {
        const Matrix all = gradients(array, *tasks[g].at);
        for (const Eigen::Index i : counted) {
          gradient = all.col(i);
          add_shortened(gradient, tasks[g], sums.subspan(g * dim, dim));
        }
      }
    });
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  ///< contributes zero

  /// Shape (rows).
  [[nodiscard]] Position log_densities(const Matrix& array, const Position& at) const {
    Position numbers(array.rows());
    compute_numbers(array, numbers,
                    [&](const Matrix& rows, Position& out) { return model_.log_densities(rows, at, out); });
    return numbers;
  }

  /// Shape (dim, rows).
  [[nodiscard]] Matrix gradients(const Matrix& array, const Position& at) const {
    Matrix vectors(model_.dim(), array.rows());
    compute_numbers(array, vectors,
                    [&](const Matrix& rows, Matrix& out) { return model_.gradients(rows, at, out); });
    return vectors;
  }

  static auto of_row(Position& numbers, Eigen::Index i) { return numbers.segment(i, 1); }
  static auto of_row(Matrix& vectors, Eigen::Index i) { return vectors.col(i); }

  /// Of all rows at once, with `fill` in the place of those on which that fails, which have none; of one after the other where it
  /// fails on rows together that it takes one by one. None of any where it fails on `fill`, which is public, whatever the rows are.
  template <class Numbers, class Compute>
  void compute_numbers(const Matrix& array, Numbers& numbers, const Compute& compute) const {
    const bool several = array.rows() > 1;
    if ((several && !compute(filled(array.rows()), numbers)) || (!several && !compute(array, numbers))) {
      numbers.setConstant(kNone);
      return;
    }
    if (!several || compute(array, numbers)) return;
    std::vector<Eigen::Index> failed;
    find_failures(
        array, 0, array.rows(), [&](const Matrix& rows) { return compute(rows, numbers); }, failed);
    Matrix others = array;
    for (const Eigen::Index i : failed) others.row(i) = fill_.transpose();
    if (!compute(others, numbers)) {
      one_by_one(array, numbers, compute);
      return;
    }
    for (const Eigen::Index i : failed) of_row(numbers, i).setConstant(kNone);
  }

  /// Each at its place, all other rows filled.
  template <class Numbers, class Compute>
  void one_by_one(const Matrix& array, Numbers& numbers, const Compute& compute) const {
    Numbers its_own = numbers;
    for (Eigen::Index i = 0; i < array.rows(); ++i) {
      Matrix alone = filled(array.rows());
      alone.row(i) = array.row(i);
      if (compute(alone, its_own))
        of_row(numbers, i) = of_row(its_own, i);
      else
        of_row(numbers, i).setConstant(kNone);
    }
  }

  /// By halves, all other rows filled: a row's failing is its own.
  template <class Compute>
  void find_failures(const Matrix& array, Eigen::Index first, Eigen::Index count, const Compute& compute,
                     std::vector<Eigen::Index>& failed) const {
    Matrix some = filled(array.rows());
    some.middleRows(first, count) = array.middleRows(first, count);
    if (compute(some)) return;
    if (count == 1) {
      failed.push_back(first);
      return;
    }
    find_failures(array, first, count / 2, compute, failed);
    find_failures(array, first + count / 2, count - count / 2, compute, failed);
  }

  [[nodiscard]] Matrix filled(Eigen::Index rows) const { return fill_.transpose().replicate(rows, 1); }

  /// Calls visit(array, counted), counted: the rows of the array that contribute.
  template <class Visit>
  void for_each_array(const Rows& rows, std::size_t first, std::size_t count, const Visit& visit) const {
    Matrix array = filled(whole_runs_ ? static_cast<Eigen::Index>(count * kTile) : 1);
    std::vector<Eigen::Index> counted;
    for (std::size_t i = 0; i < count * kTile; ++i) {
      const double* lane = rows.tile(first + i / kTile) + i % kTile;
      if (lane[rows.columns() * kTile] == 0) continue;
      const auto place = static_cast<Eigen::Index>(whole_runs_ ? i : 0);
      for (std::size_t j = 0; j < rows.columns(); ++j)
        array(place, static_cast<Eigen::Index>(j)) = lane[j * kTile];
      if (whole_runs_) {
        counted.push_back(place);
      } else {
        visit(array, std::vector<Eigen::Index>{0});
      }
    }
    if (whole_runs_) visit(array, counted);
  }

  M model_;
  Position fill_;
  bool whole_runs_;
};

}  // namespace sotto
