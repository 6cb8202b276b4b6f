// The exponential mechanism: an answer is drawn with probability proportional to e^(epsilon u / (2 sensitivity of u)).
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

struct ExponentialEvent {
  double epsilon = 1;

  bool operator==(const ExponentialEvent&) const = default;
  static constexpr const char* name = "exponential-mechanism";
  static auto fields() {
    return std::tuple(Field<ExponentialEvent, double>{"epsilon", &ExponentialEvent::epsilon, "epsilon"});
  }
  void check() const {
    require(epsilon == 0 || (epsilon >= 1e-100 && epsilon <= 700),
            "epsilon must be 0 or lie in [1e-100, 700]");
  }
  /// A group of rows moves u by so many sensitivities.
  [[nodiscard]] ExponentialEvent group(double rows) const { return {epsilon * rows * (1 + 1e-15)}; }

  /// Losses of one query lie in an interval of length epsilon [DDR20]; above: the largest of all their curves, below: two
  /// answers, of which one row turns the better into the worse.
  /// Source docs/accounting.md, "The exponential mechanism"
  [[nodiscard]] View<LossView> loss(Adjacency, Side side) const {
    if (epsilon == 0) return LossView{NoLoss{}, {}};
    if (side == Side::lower) {
      const double high = 1 / (1 + std::exp(-epsilon / 2));
      return LossView{LatticeLoss{-epsilon / 2, epsilon, 0, {std::exp(-epsilon / 2) * high, high}}, {}};
    }
    constexpr int bins = 1024;
    const double h = 2 * epsilon / bins;
    LatticeLoss edge{-epsilon, h, 0, std::vector<double>(bins + 1, 0.0)};
    const double factor = 1 / (-std::expm1(-epsilon));
    const double quarter = std::sinh(h / 4);
    for (std::size_t i = 0; i < bins; ++i) {
      // Density e^((epsilon + loss) / 2) / 2 (e^epsilon - 1) under P; each bin is split over its ends, P- and Q-mass kept.
      const double here = factor * std::exp((h * static_cast<double>(i) / 2) - epsilon);
      const double mass = here * std::expm1(h / 2);
      const double up = here * 4 * quarter * quarter / -std::expm1(-h);
      edge.mass[i] += std::max(mass - up, 0.0) * (1 + 1e-13);
      edge.mass[i + 1] += up * (1 + 1e-13);
    }
    return LossView{std::move(edge), {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    return RenyiCurve::at_real_orders(
        [e = epsilon](double a) { return std::min(a * e * e / 8, pure_renyi(e, a)); });
  }
  /// Source [CR21]
  [[nodiscard]] View<double> rho(Adjacency) const { return epsilon * epsilon / 8; }
  /// Source [MT07]
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const { return epsilon; }
};

}  // namespace sotto
