// The log-likelihood ratio of a secret batch, with noise that tops the batch's own variance up to 2: what Barker's test needs.
#pragma once

#include <cstdint>
#include <span>

#include "sotto/accountant/event.hpp"
#include "sotto/base/int128.hpp"
#include "sotto/mechanism/price.hpp"

namespace sotto {

/// Of the noise and the batch together, in the log density's unit.
inline constexpr double kToppedUpVariance = 2;

/// A row's log ratio is an integer within [-bound, bound] steps of kLogDensityGrid (g), bound <= sqrt(batch) / (rows g).
struct ToppedUpPlan {
  std::size_t rows = 0;
  std::size_t batch = 0;
  std::int64_t bound = 0;

  /// Steps for a bound of `share` (at most 1) of the largest possible. Errors: configuration when that is no whole step.
  static ToppedUpPlan for_share(std::size_t rows, std::size_t batch, double share);
  [[nodiscard]] Event event(std::uint64_t count) const;
};

/// floor((n/b) R) steps, R = sum of `changes`.
[[nodiscard]] Int128 topped_up_center(const ToppedUpPlan& plan, std::span<const std::int64_t> changes);

/// The noise that is left to add, given the batch. PRIVATE: its variance is computed from rows, so nothing but the release
/// may leave; `entries`, `grid` and `sensitivity` are public.
///
/// Query        floor((n/b) R) of a secret batch of b rows, drawn without replacement
/// Adjacency    substitute; a unit holds one row
/// Sensitivity  2 bound n/b + 1 steps for the centre; the variance in squared steps, floor(2/g^2 - W),
///              W = (n/b) (n/b - 1) (Q - R^2/b), Q = sum of squares, moves by at most 4 (bound n/b)^2 + 1
/// Noise        discrete Gaussian of that variance, which is never below (2 - (bound n/b)^2 b g^2) / g^2
/// Charge       only together, for all releases of a run: ToppedUpPlan::event
/// Source       docs/barker.md; [HJDH19, Theorem 3] with smaller constants and discrete noise
/// Checked by tests/mechanism/topped_up_ratio_test.cpp: no_exchange_moves_more_than_stated
[[nodiscard]] GaussianNoise topped_up_noise(const ToppedUpPlan& plan, std::span<const std::int64_t> changes);

/// What a receipt for one such release must hold: its cost as if the variance were the least one and the batch known.
[[nodiscard]] Charge topped_up_charge(const ToppedUpPlan& plan);

}  // namespace sotto
