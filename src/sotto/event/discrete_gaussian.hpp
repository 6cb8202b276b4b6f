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

  /// The exact lattice where one coordinate can change, else continuous noise and a slack.
  /// Source docs/accounting.md, "Discrete Gaussian"
  [[nodiscard]] View<LossView> loss(Adjacency, Side side) const {
    if (sensitivity == 0) return LossView{NoLoss{}, {}};
    // No more coordinates than the squared sensitivity can change: each changes by an integer.
    const double changed =
        side == Side::upper ? std::min(static_cast<double>(dimension), sensitivity * sensitivity) : 1;
    if (changed == 1 && sigma < 2e4 && sensitivity / sigma < 100) return LossView{lattice(), {}};
    // Noise lies within one grid step of a Gaussian's, in every coordinate.
    const double single = sensitivity / (sigma * sigma) * (1 + 1e-14);
    return LossView{GaussianLoss{sensitivity / sigma, single * std::sqrt(changed), single * single}, {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve{[r = sensitivity / sigma](double a) { return gaussian_renyi(r, a); }, nullptr};
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
  [[nodiscard]] LatticeLoss lattice() const {
    const double variance = sigma * sigma;
    const auto reach = static_cast<std::int64_t>(std::ceil(38.5 * sigma + 2));
    LatticeLoss grid{sensitivity * sensitivity / (2 * variance), sensitivity / variance, -reach, {}, 1e-300};
    for (std::int64_t j = -reach; j <= reach; ++j) {
      const auto x = static_cast<double>(j);
      grid.mass.push_back(std::exp(-x * x / (2 * variance)));
    }
    // Smallest first, so that the sum is good to a few units in the last place.
    long double total = 0;
    for (std::int64_t j = reach; j > 0; --j) total += 2 * grid.mass[static_cast<std::size_t>(reach - j)];
    total += 1;
    for (double& m : grid.mass) m /= static_cast<double>(total);
    return grid;
  }
};

}  // namespace sotto
