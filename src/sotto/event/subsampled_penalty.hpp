// One step of the subsampled penalty algorithm.
#pragma once

#include <algorithm>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

/// Noise variance tau * sensitivity^2 on a batch of fixed size.
struct SubsampledPenaltyEvent {
  double tau = 1;
  double rate = 1;

  bool operator==(const SubsampledPenaltyEvent&) const = default;
  static constexpr const char* name = "subsampled-penalty";
  static auto fields() {
    using E = SubsampledPenaltyEvent;
    return std::tuple(Field<E, double>{"tau", &E::tau, "tau"}, Field<E, double>{"rate", &E::rate, "rate"});
  }
  static NoiseField<SubsampledPenaltyEvent> noise() { return {&SubsampledPenaltyEvent::tau}; }
  void check() const {
    require(is_positive(tau), "tau must lie in [1e-100, 1e100]");
    require_rate(rate);
  }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const { return only_renyi(); }
  /// Source thesis theorem 9
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute)
      return Refusal{"subsampled-penalty is accounted under --adjacency substitute only"};
    if (rate == 0) return RenyiCurve{[](double) { return 0.0; }, nullptr};
    const auto inner = [t = tau](int j) { return j / (2 * t); };
    return RenyiCurve{nullptr,
                      [=, q = rate](int a) { return std::min(fixed_batch_renyi(q, a, inner), inner(a)); }};
  }
  [[nodiscard]] View<double> rho(Adjacency) const { return only_renyi(); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const { return only_renyi(); }

 private:
  static Refusal only_renyi() {
    return {"subsampled-penalty has no proven loss distribution: use --bound rdp"};
  }
};

}  // namespace sotto
