// Random batches: how the rows of one step are chosen, and what losses that leaves.
#pragma once

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

/// How the rows of one step are chosen.
enum class Sampling {
  none,                 ///< every row takes part, `rate` is 1
  poisson,              ///< each row independently with probability `rate`
  without_replacement,  ///< a batch of fixed size, `rate` = batch / rows
};

inline void require_batch(double rate, Sampling sampling) {
  require_rate(rate);
  require(sampling != Sampling::none || rate == 1, "sampling=none takes every row: rate must be 1");
}

/// Empty if batches of this kind can be accounted under this adjacency.
inline std::string batch_refusal(Sampling sampling, Adjacency adjacency) {
  if (sampling != Sampling::without_replacement || adjacency == Adjacency::substitute) return {};
  return "batches of fixed size are accounted under --adjacency substitute only";
}

/// By how many clip norms one privacy unit moves the sum over all rows.
inline double whole_shift(Adjacency adjacency) { return adjacency == Adjacency::substitute ? 2 : 1; }

/// Losses of the sum over a random batch, 0 < rate < 1. `scale` of the noise in units of what one row may contribute.
/// Source     docs/accounting.md, "Poisson samples" and "Samples without replacement"
inline LossView batch_loss(Noise noise, double scale, double rate, Sampling sampling, Adjacency adjacency,
                           Side side) {
  if (sampling == Sampling::poisson) {
    if (adjacency == Adjacency::substitute) return {PairLoss{noise, scale, 1, rate, rate}, {}};
    return {PairLoss{noise, scale, 1, rate, 0}, PairLoss{noise, scale, 1, 0, rate}};
  }
  // One row exchanged: sensitivity 2, above loss 0 the curve of a row left out, mirrored below.
  if (side == Side::upper) return {PairLoss{noise, scale, 2, rate, 0, true}, {}};
  // Attained where all other rows contribute the opposite of the exchanged one.
  return {PairLoss{noise, scale, 2, rate, 0}, PairLoss{noise, scale, 2, 0, rate}};
}

}  // namespace sotto
