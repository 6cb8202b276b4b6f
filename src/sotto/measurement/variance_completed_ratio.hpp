// The log-likelihood ratio of a secret batch, with noise that tops the batch's own variance up to 2: what Barker's test needs.
#pragma once

#include <cstdint>
#include <span>

#include "sotto/base/int128.hpp"
#include "sotto/event/event.hpp"
#include "sotto/ledger/ledger.hpp"
#include "sotto/measurement/ratio.hpp"

namespace sotto {

/// Of the noise and the batch together, in the log density's unit.
inline constexpr double kVarianceCompletedVariance = 2;

/// A row's log ratio is an integer within [-bound, bound] steps of kLogDensityGrid (g), bound <= sqrt(batch) / (rows g).
/// All of it is public.
///
/// Query        floor((n/b) R), R the sum over a secret batch of b rows, drawn without replacement
/// Adjacency    substitute; a unit holds one row
/// Sensitivity  2 bound n/b + 1 steps for the centre; the noise's variance in squared steps, floor(2/g^2 - W),
///              W = (n/b) (n/b - 1) (Q - R^2/b), Q = sum of squares, moves by at most 4 (bound n/b)^2 + 1
/// Noise        discrete Gaussian of that variance, which is never below (2 - (bound n/b)^2 b g^2) / g^2
/// Charge       only together, for all releases of a run: `event`
/// Source       docs/barker.md; [HJDH19, Theorem 3] with smaller constants and discrete noise
/// Checked by tests/measurement/variance_completed_ratio_test.cpp: no_exchange_moves_more_than_stated
struct VarianceCompletedPlan {
  std::size_t rows = 0;
  std::size_t batch = 0;
  std::int64_t bound = 0;

  /// Steps for a bound of `share` (at most 1) of the largest possible. Errors: configuration when they are fewer than 64:
  /// moves that short are lost in the rounding of log densities.
  static VarianceCompletedPlan for_share(std::size_t rows, std::size_t batch, double share);
  /// The least share that is no error.
  static double least_share(std::size_t rows, std::size_t batch);

  [[nodiscard]] Event event(std::uint64_t count) const;
  /// Noise of `variance` squared steps, the sensitivity the centre's.
  [[nodiscard]] GaussianNoise noise(GaussianNoise::Integer variance) const;
  /// What a receipt for one release must hold: its cost as if the variance were the least one and the batch known.
  [[nodiscard]] Charge charge() const;
};

/// floor((n/b) R) steps, R = sum of `changes`. Computed from rows: for the mechanism only.
[[nodiscard]] Int128 variance_completed_center(const VarianceCompletedPlan& plan,
                                               std::span<const std::int64_t> changes);

/// floor(2/g^2 - W) squared steps. Computed from rows: for the mechanism only, and never told.
[[nodiscard]] GaussianNoise::Integer variance_completed_variance(const VarianceCompletedPlan& plan,
                                                                 std::span<const std::int64_t> changes);

/// Answers ratio questions only, `count` of them, all paid for before the first. A question between positions
/// where a row's log ratio may pass the plan's bound is out of range: that follows from the positions alone.
/// The batch and the noise's variance never leave. The chain's target is approximate: the variance of a batch
/// is estimated, and its mean normal only in the limit.
/// Source     [R21, Algorithm 2]; docs/barker.md
/// Checked by tests/measurement/variance_completed_ratio_test.cpp: is_priced_as_it_is_drawn
/// Errors: budget, before anything is spent; configuration for other adjacencies and for units of several rows.
[[nodiscard]] Measure measure_variance_completed_ratios(const Rows& rows, OwnerContext context,
                                                        const VarianceCompletedPlan& plan, std::size_t count,
                                                        Ledger& ledger);

}  // namespace sotto
