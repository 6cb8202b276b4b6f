// A sum over a random batch of which no more than so many rows are kept, plus Gaussian noise.
#pragma once

#include <cstdint>
#include <tuple>

#include "sotto/event/sampling.hpp"
#include "sotto/event/subsampled_gaussian.hpp"
#include "sotto/math/binomial_tail.hpp"

namespace sotto {

/// Every row is drawn with probability `rate`. Of more than `largest_batch` drawn rows only so many are kept, by a rule by which one
/// more drawn row takes the place of one other at most: at random, or the first in an order that no row's values change. One row
/// contributes a vector of norm at most `clip_norm`. There are at most `rows` rows, the one that changes included.
struct TruncatedPoissonEvent {
  double clip_norm = 1;
  double sigma = 1;  ///< same units as clip_norm
  double rate = 1;
  std::uint64_t rows = 1;
  std::uint64_t largest_batch = 1;

  bool operator==(const TruncatedPoissonEvent&) const = default;
  static constexpr const char* name = "truncated-poisson";
  static auto fields() {
    using E = TruncatedPoissonEvent;
    return std::tuple(
        Field<E, double>{"clip_norm", &E::clip_norm, nullptr}, Field<E, double>{"sigma", &E::sigma, "sigma"},
        Field<E, double>{"rate", &E::rate, "rate"}, Field<E, std::uint64_t>{"rows", &E::rows, "rows"},
        Field<E, std::uint64_t>{"largest_batch", &E::largest_batch, "largest"});
  }
  static NoiseField<TruncatedPoissonEvent> noise() {
    return {&TruncatedPoissonEvent::sigma, &TruncatedPoissonEvent::clip_norm};
  }
  void check() const {
    require_noise(clip_norm, sigma);
    require_rate(rate);
    require(rows >= 1 && is_exact(rows), "rows must lie in [1, 2^53]");
    require(largest_batch >= 1, "largest must be at least 1");
  }

  /// Probability that the other rows alone fill the batch: only then may the row be missing, or take another's place.
  [[nodiscard]] double overflow() const {
    return clip_norm == 0 ? 0 : binomial_tail(rows - 1, rate, largest_batch);
  }
  /// What a step is where they do not; attained where there are few rows.
  [[nodiscard]] SubsampledGaussianEvent otherwise() const {
    return {clip_norm, sigma, rate, Sampling::poisson};
  }
  /// What no step loses more than.
  [[nodiscard]] SubsampledGaussianEvent at_most() const {
    return {overflow() > 0 ? 2 * clip_norm : clip_norm, sigma, rate, Sampling::poisson};
  }

  /// Source [CGKKMSZ24]; docs/accounting.md, "Truncated Poisson samples"
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    return (side == Side::upper ? at_most() : otherwise()).loss(adjacency, side);
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const { return at_most().renyi(adjacency); }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const { return at_most().rho(adjacency); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"truncated-poisson noise is not epsilon-private"};
  }
};

}  // namespace sotto
