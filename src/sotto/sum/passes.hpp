// One pass over the rows for each kind of statistic: tasks in, exact integer sums out.
#pragma once

#include <algorithm>
#include <span>

#include "sotto/data/rows.hpp"
#include "sotto/model/model.hpp"
#include "sotto/model/weighted.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// Contributions of a ratio must stay below this, in grid steps.
inline constexpr double kLargestContribution = 0x1p49;

/// Inside a run integers are summed in doubles, eight lanes of them: the run's total must stay below 2^53.
[[nodiscard]] inline std::size_t tiles_per_run(std::int64_t largest) {
  return std::clamp<std::size_t>(static_cast<std::size_t>((std::int64_t{1} << 49) / largest), 1, 512);
}

/// Entry r: the sum of task r's contributions; a log density is multiplied by `scale` before it is rounded.
template <Model M>
ExactSum sum_ratios(const M& model, const Rows& rows, std::span<const RatioTask> tasks, double scale,
                    int threads) {
  std::int64_t largest = 1;
  for (const RatioTask& task : tasks) largest = std::max({largest, -task.lower, task.upper});
  return sum_tiles(rows.tiles(), tiles_per_run(largest), tasks.size(), threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     model.add_ratios(rows, first, count, tasks, scale, sums);
                   });
}

/// Entries g * dim .. g * dim + dim - 1: the sum of task g's contributions.
template <Model M>
ExactSum sum_gradients(const M& model, const Rows& rows, std::span<const GradientTask> tasks, int threads) {
  const auto dim = static_cast<std::size_t>(model.dim());
  return sum_tiles(rows.tiles(), tiles_per_run(std::int64_t{1} << 31), tasks.size() * dim, threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     model.add_gradients(rows, first, count, tasks, sums);
                   });
}

/// Ratios and gradients in one pass: entries 0 .. ratios - 1 are the ratios, then dim entries a gradient. A
/// run of tiles is read from memory once and used for both.
template <Model M>
ExactSum sum_ratios_and_gradients(const M& model, const Rows& rows, std::span<const RatioTask> ratios,
                                  double scale, std::span<const GradientTask> gradients, int threads) {
  const auto dim = static_cast<std::size_t>(model.dim());
  std::int64_t largest = 1;
  for (const RatioTask& task : ratios) largest = std::max({largest, -task.lower, task.upper});
  const std::size_t ratio_run = tiles_per_run(largest);
  return sum_tiles(rows.tiles(), tiles_per_run(std::int64_t{1} << 31), ratios.size() + gradients.size() * dim,
                   threads, [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     if (!gradients.empty())
                       model.add_gradients(rows, first, count, gradients, sums.subspan(ratios.size()));
                     if (ratios.empty()) return;
                     for (std::size_t part = 0; part < count; part += ratio_run)
                       model.add_ratios(rows, first + part, std::min(ratio_run, count - part), ratios, scale,
                                        sums.first(ratios.size()));
                   });
}

/// The upper triangle of the curvature at `at`, row by row; entries are multiplied by `factor` before they
/// are rounded.
template <CurvatureModel M>
ExactSum sum_curvatures(const M& model, const Rows& rows, const Position& at, double factor, int threads) {
  const auto dim = static_cast<std::size_t>(model.dim());
  return sum_tiles(rows.tiles(), tiles_per_run(std::int64_t{1} << 31), dim * (dim + 1) / 2, threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     model.add_curvatures(rows, first, count, at, factor, sums);
                   });
}

/// The sum of a weighted score: dim entries.
template <WeightedModel M>
ExactSum sum_scores(const M& model, const Rows& rows, const WeightedTask& task, int threads) {
  return sum_tiles(rows.tiles(), tiles_per_run(std::int64_t{1} << 31), static_cast<std::size_t>(model.dim()),
                   threads, [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     model.add_scores(rows, first, count, task, sums);
                   });
}

/// The sum of a weighted information vector: dim (dim + 1) / 2 + 2 entries.
template <WeightedModel M>
ExactSum sum_information(const M& model, const Rows& rows, const WeightedTask& task, int threads) {
  const auto dim = static_cast<std::size_t>(model.dim());
  return sum_tiles(rows.tiles(), tiles_per_run(std::int64_t{1} << 31), information_entries(dim), threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     model.add_information(rows, first, count, task, sums);
                   });
}

}  // namespace sotto
