// Discrete Gaussian noise on an integer grid, one coordinate at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

struct DiscreteGaussianEvent {
  double sensitivity = 1;  ///< L2, an integer number of grid steps
  double sigma = 1;        ///< parameter of the noise, in grid steps
  std::uint64_t dimension = 1;

  bool operator==(const DiscreteGaussianEvent&) const = default;
  static constexpr const char* name = "discrete-gaussian";
  static auto fields() {
    using E = DiscreteGaussianEvent;
    return std::tuple(Field<E, double>{"sensitivity", &E::sensitivity, "grid", false},
                      Field<E, double>{"sigma", &E::sigma, "sigma"},
                      Field<E, std::uint64_t>{"dimension", &E::dimension, "dim", false});
  }
  static NoiseField<DiscreteGaussianEvent> noise() {
    return {&DiscreteGaussianEvent::sigma, &DiscreteGaussianEvent::sensitivity};
  }
  void check() const {
    require_noise(sensitivity, sigma);
    require(sensitivity == std::floor(sensitivity) && sensitivity <= 0x1p53,
            "a discrete Gaussian's sensitivity must be an integer number of grid steps, at most 2^53");
    require(dimension >= 1 && dimension <= (1ULL << 40), "dim must lie in [1, 2^40]");
  }
  [[nodiscard]] DiscreteGaussianEvent group(double rows) const {
    return {sensitivity * rows, sigma, dimension};
  }

  /// The exact lattice where one coordinate can change, the upper edge of all lattices where few changes are possible, else
  /// continuous noise of about the same variance.
  /// Source docs/accounting.md, "Discrete Gaussian"
  [[nodiscard]] View<LossView> loss(Adjacency, Side side) const {
    if (sensitivity == 0) return LossView{NoLoss{}, {}};
    // No more coordinates than the squared sensitivity can change: each changes by an integer.
    const double changed =
        side == Side::upper ? std::min(static_cast<double>(dimension), sensitivity * sensitivity) : 1;
    if (changed == 1 && sigma < 2e4 && sensitivity / sigma < 100) return LossView{one_coordinate(), {}};
    if (changed > 1 && sensitivity <= 4 && sigma >= 0.2 && sigma <= 8)
      return LossView{upper_edge(static_cast<int>(changed)), {}};
    return LossView{smoothed(changed, side), {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve::at_real_orders([r = sensitivity / sigma](double a) { return gaussian_renyi(r, a); });
  }
  /// Source [CKS20, Theorem 14]
  [[nodiscard]] View<double> rho(Adjacency) const {
    const double ratio = sensitivity / sigma;
    return ratio * ratio / 2;
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"discrete-gaussian noise is not epsilon-private"};
  }

 private:
  // Noise e^(-j^2 / 2 s^2) on the integers, shifted by the sensitivity D: losses (D^2 + 2 D j) / (2 s^2).
  [[nodiscard]] LatticeLoss one_coordinate() const;
  // Above the curve of every change of squared norm at most D^2 of so many coordinates, each by an integer.
  [[nodiscard]] LatticeLoss upper_edge(int changed) const;
  // Randomly rounded Gaussian noise of less variance has the same law up to ratios near 1; discrete noise with some Gaussian
  // noise added has that of Gaussian noise of more variance.
  [[nodiscard]] GaussianLoss smoothed(double changed, Side side) const;
};

}  // namespace sotto
