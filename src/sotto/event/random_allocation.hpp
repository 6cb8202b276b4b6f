// Every row takes part in one of so many steps, drawn at random: balls and bins. Gaussian noise on the sum of each step.
#pragma once

#include <cstdint>
#include <tuple>

#include "sotto/event/gaussian.hpp"
#include "sotto/event/sampling.hpp"

namespace sotto {

/// All steps of one epoch. A row, at the step that is its own, contributes a vector of norm at most `clip_norm`; each row's step is drawn
/// uniformly, independently of all others and anew in every epoch.
struct RandomAllocationEvent {
  double clip_norm = 1;
  double sigma = 1;  ///< same units as clip_norm
  std::uint64_t steps = 1;

  bool operator==(const RandomAllocationEvent&) const = default;
  static constexpr const char* name = "random-allocation";
  static auto fields() {
    using E = RandomAllocationEvent;
    return std::tuple(Field<E, double>{"clip_norm", &E::clip_norm, nullptr},
                      Field<E, double>{"sigma", &E::sigma, "sigma"},
                      Field<E, std::uint64_t>{"steps", &E::steps, "steps"});
  }
  static NoiseField<RandomAllocationEvent> noise() {
    return {&RandomAllocationEvent::sigma, &RandomAllocationEvent::clip_norm};
  }
  void check() const {
    require_noise(clip_norm, sigma);
    require(steps >= 1 && steps <= 1'000'000, "steps must lie in [1, 1e6]");
  }

  /// Source [CGHLKKMSZ25, FS25]; docs/accounting.md, "Random allocation"
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    const double scale = sigma / clip_norm;
    const bool is_looked_at = clip_norm > 0 && steps > 1 && scale >= kLeastScale && scale <= kMostScale;
    if (!is_looked_at && (side == Side::upper || steps == 1 || clip_norm == 0))
      return whole(adjacency).loss(adjacency, side);
    if (!is_looked_at) return LossView{NoLoss{}, {}};
    if (adjacency == Adjacency::substitute && side == Side::upper)
      return whole(adjacency).loss(adjacency, side);
    return allocated(scale, side);
  }
  /// Of the step alone, as if it were told: sampling only helps.
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    return whole(adjacency).renyi(adjacency);
  }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const { return whole(adjacency).rho(adjacency); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"random-allocation noise is not epsilon-private"};
  }

 private:
  static constexpr double kLeastScale = 0.3;  // of noise, for which the law of the sum is looked at
  static constexpr double kMostScale = 100;

  [[nodiscard]] GaussianEvent whole(Adjacency adjacency) const {
    return {whole_shift(adjacency) * clip_norm, sigma};
  }
  [[nodiscard]] LossView allocated(double scale, Side side) const;
};

}  // namespace sotto
