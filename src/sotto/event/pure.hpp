// Any epsilon-private mechanism.
#pragma once

#include <cmath>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

struct PureEvent {
  double epsilon = 1;
  double rows = 1;  ///< that suffer so much together: of more than one nothing is known from below

  bool operator==(const PureEvent&) const = default;
  static constexpr const char* name = "pure";
  static auto fields() {
    return std::tuple(Field<PureEvent, double>{"epsilon", &PureEvent::epsilon, "epsilon"},
                      Field<PureEvent, double>{"rows", &PureEvent::rows, nullptr});
  }
  void check() const {
    require(epsilon == 0 || (epsilon >= 1e-100 && epsilon <= 700),
            "a pure epsilon must be 0 or lie in [1e-100, 700]");
    require(rows >= 1, "rows must be at least 1");
  }

  /// Source [DR14, Theorem 2.2]
  [[nodiscard]] PureEvent group(double more) const { return {epsilon * more * (1 + 1e-15), rows * more}; }

  /// Source [KOV15]: one bit of randomised response dominates. Its groups lose less than this.
  [[nodiscard]] View<LossView> loss(Adjacency, Side side) const {
    if (epsilon == 0 || (side == Side::lower && rows > 1)) return LossView{NoLoss{}, {}};
    const double high = 1 / (1 + std::exp(-epsilon));
    return LossView{LatticeLoss{-epsilon, 2 * epsilon, 0, {std::exp(-epsilon) * high, high}}, {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve::at_real_orders([e = epsilon](double a) { return pure_renyi(e, a); });
  }
  [[nodiscard]] View<double> rho(Adjacency) const { return rho_of_pure(epsilon); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const { return epsilon; }
};

}  // namespace sotto
