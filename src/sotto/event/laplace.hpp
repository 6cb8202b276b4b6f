// Laplace noise on every coordinate.
#pragma once

#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

struct LaplaceEvent {
  double sensitivity = 1;  ///< L1
  double scale = 1;

  bool operator==(const LaplaceEvent&) const = default;
  static constexpr const char* name = "laplace";
  static auto fields() {
    using E = LaplaceEvent;
    return std::tuple(Field<E, double>{"sensitivity", &E::sensitivity, nullptr},
                      Field<E, double>{"scale", &E::scale, "scale"});
  }
  static NoiseField<LaplaceEvent> noise() { return {&LaplaceEvent::scale, &LaplaceEvent::sensitivity}; }
  void check() const { require_noise(sensitivity, scale); }
  [[nodiscard]] LaplaceEvent group(double rows) const { return {sensitivity * rows * (1 + 1e-15), scale}; }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const {
    if (sensitivity == 0) return LossView{NoLoss{}, {}};
    return LossView{PairLoss{Noise::laplace, scale / sensitivity, 1, 1, 0}, {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve::at_real_orders([r = sensitivity / scale](double a) { return laplace_renyi(r, a); });
  }
  [[nodiscard]] View<double> rho(Adjacency) const { return rho_of_pure(sensitivity / scale); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const { return ratio_up(sensitivity, scale); }
};

}  // namespace sotto
