// The noisy gradient of a secret Poisson batch, all batches of a run paid for before the first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// The batch gradients of a run: each row enters a batch with probability `rate`.
struct BatchPlan {
  double rate = 0;
  double noise_multiplier = 0;
  std::size_t count = 0;
  Rho others{0};  ///< cost kept for releases over all rows, e.g. ratios
};

/// Query        the gradient as in measurement/gradient.cpp, over a Poisson batch of rows instead of all
/// Adjacency    as declared; a unit is one row, because only for rows is the sampling's gain known
/// Sensitivity  one row in the batch contributes an integer vector of norm at most norm + sqrt(entries) / 2
///              in grid steps; GaussianNoise::sensitivity is that of the sum without sampling: once, or for
///              substitution twice that
/// Noise        discrete Gaussian of a standard deviation of at least `multiplier` times that norm
/// Charge       up front for all steps of a run, with the sampling's gain: PrecomposedBudget
/// Source       [MTZ19]
/// None when the bound is not finite or zero.
/// Checked by tests/measurement/batch_gradient_test.cpp: noise_covers_one_rounded_row, protect_single_rows_only
[[nodiscard]] std::optional<GaussianNoise> batch_noise(const VectorBound& bound, std::size_t entries,
                                                       const PrivacyUnit& unit, double multiplier);

/// At least what any batch_noise with these arguments charges for one release without sampling: every bound
/// is at least 2^29 grid steps long.
[[nodiscard]] Charge batch_charge(std::size_t entries, const PrivacyUnit& unit, double multiplier,
                                  double rate = 1);

/// A run of `count` batch gradients, as the accountant sees it. Discreteness is charged beside it, as slack.
[[nodiscard]] inline Event batch_event(double rate, double multiplier, std::uint64_t count) {
  return {SubsampledGaussianEvent{
              .clip_norm = 1, .sigma = multiplier, .rate = rate, .sampling = Sampling::poisson},
          count};
}

/// Pays for the batch gradients of a whole run and answers them; the ledger then serves other questions, over
/// all rows, of a total cost of plan.others. `composed`: the epsilon of all of it together at the ledger's
/// delta, where it is known. Errors: budget, before anything is spent; configuration for units of several rows.
[[nodiscard]] Measure measure_batches(const OwnerContext& context, const BatchPlan& plan, Ledger& ledger,
                                      std::optional<Epsilon> composed = {});

}  // namespace sotto
