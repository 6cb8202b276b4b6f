// Gaussian noise.
#pragma once

#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

struct GaussianEvent {
  double sensitivity = 1;  ///< L2, under the adjacency in force, in units of the query
  double sigma = 1;        ///< standard deviation of the noise, same units

  bool operator==(const GaussianEvent&) const = default;
  static constexpr const char* name = "gaussian";
  static auto fields() {
    using E = GaussianEvent;
    return std::tuple(Field<E, double>{"sensitivity", &E::sensitivity, nullptr},
                      Field<E, double>{"sigma", &E::sigma, "sigma"});
  }
  static NoiseField<GaussianEvent> noise() { return {&GaussianEvent::sigma, &GaussianEvent::sensitivity}; }
  void check() const { require_noise(sensitivity, sigma); }
  [[nodiscard]] GaussianEvent group(double rows) const { return {sensitivity * rows * (1 + 1e-15), sigma}; }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const {
    return LossView{GaussianLoss{sensitivity / sigma}, {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve::at_real_orders([r = sensitivity / sigma](double a) { return gaussian_renyi(r, a); });
  }
  /// Source [BS16, Proposition 1.6]
  [[nodiscard]] View<double> rho(Adjacency) const {
    const double ratio = sensitivity / sigma;
    return ratio * ratio / 2;
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"gaussian noise is not epsilon-private"};
  }
};

}  // namespace sotto
