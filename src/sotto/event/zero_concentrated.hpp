// Any zero-concentrated mechanism.
#pragma once

#include <cmath>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

struct ZeroConcentratedEvent {
  double concentration = 1;  ///< rho

  bool operator==(const ZeroConcentratedEvent&) const = default;
  static constexpr const char* name = "zcdp";
  static auto fields() {
    using E = ZeroConcentratedEvent;
    return std::tuple(Field<E, double>{"rho", &E::concentration, "rho"});
  }
  void check() const {
    require(concentration == 0 || is_positive(concentration), "rho must be 0 or lie in [1e-100, 1e100]");
  }
  /// Source [BS16, Proposition 1.9]
  [[nodiscard]] ZeroConcentratedEvent group(double rows) const {
    return {concentration * rows * rows * (1 + 1e-15)};
  }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const {
    return Refusal{"a zcdp guarantee says too little of the loss distribution: use --bound rdp or zcdp"};
  }
  /// Source [BS16, Definition 1.1]
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve::at_real_orders([rho = concentration](double a) { return a * rho; });
  }
  [[nodiscard]] View<double> rho(Adjacency) const { return concentration; }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"a zcdp guarantee is not epsilon-private"};
  }
};

}  // namespace sotto
