// Any (epsilon, delta)-private mechanism.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/pure.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

struct ApproximateEvent {
  double epsilon = 1;
  double delta = 0;
  double rows = 1;  ///< that suffer so much together: of more than one nothing is known from below

  bool operator==(const ApproximateEvent&) const = default;
  static constexpr const char* name = "approximate";
  static auto fields() {
    using E = ApproximateEvent;
    return std::tuple(Field<E, double>{"epsilon", &E::epsilon, "epsilon"},
                      Field<E, double>{"delta", &E::delta, "delta"},
                      Field<E, double>{"rows", &E::rows, nullptr});
  }
  void check() const {
    require(epsilon == 0 || (epsilon >= 1e-100 && epsilon <= 700),
            "epsilon must be 0 or lie in [1e-100, 700]");
    require(delta == 0 || (delta >= 1e-280 && delta <= 1), "delta must be 0 or lie in [1e-280, 1]");
    require(rows >= 1, "rows must be at least 1");
  }
  /// From one row to the next: delta (1 + e^epsilon + ...). Source docs/accounting.md, "Guarantees as given"
  [[nodiscard]] ApproximateEvent group(double more) const {
    const double share = epsilon == 0 ? more : std::expm1(more * epsilon) / std::expm1(epsilon);
    return {epsilon * more * (1 + 1e-15), delta == 0 ? 0 : std::min(1.0, delta * share * (1 + 1e-12)),
            rows * more};
  }

  /// What the mechanism is where it gives nothing away, which it may do with probability delta.
  /// Source [KOV15]; docs/accounting.md, "Guarantees as given"
  [[nodiscard]] PureEvent otherwise() const { return {epsilon, rows}; }
  /// The least probability of that: of groups of rows nothing is known from below.
  [[nodiscard]] double surely_given() const { return rows == 1 ? delta : 0; }

  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    if (delta > 0) return given_away();
    return otherwise().loss(adjacency, side);
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (delta > 0) return given_away();
    return otherwise().renyi(adjacency);
  }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    if (delta > 0) return given_away();
    return otherwise().rho(adjacency);
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    if (delta > 0) return given_away();
    return epsilon;
  }

 private:
  static Refusal given_away() {
    return {
        "an (epsilon, delta) guarantee may give everything away with probability delta: use --bound tight"};
  }
};

}  // namespace sotto
