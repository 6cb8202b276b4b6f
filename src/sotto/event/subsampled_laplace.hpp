// A one-dimensional sum over a random batch, plus Laplace noise.
#pragma once

#include <algorithm>
#include <tuple>

#include "sotto/event/sampling.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

/// One row contributes a number in [-clip_norm, clip_norm].
struct SubsampledLaplaceEvent {
  double clip_norm = 1;
  double scale = 1;
  double rate = 1;
  Sampling sampling = Sampling::poisson;

  bool operator==(const SubsampledLaplaceEvent&) const = default;
  static constexpr const char* name = "subsampled-laplace";
  static auto fields() {
    using E = SubsampledLaplaceEvent;
    return std::tuple(Field<E, double>{"clip_norm", &E::clip_norm, nullptr},
                      Field<E, double>{"scale", &E::scale, "scale"},
                      Field<E, double>{"rate", &E::rate, "rate"},
                      Field<E, Sampling>{"sampling", &E::sampling, "sampling", false});
  }
  static NoiseField<SubsampledLaplaceEvent> noise() {
    return {&SubsampledLaplaceEvent::scale, &SubsampledLaplaceEvent::clip_norm};
  }
  void check() const {
    require_noise(clip_norm, scale);
    require_batch(rate, sampling);
  }

  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    if (const std::string why = batch_refusal(sampling, adjacency); !why.empty()) return Refusal{why};
    if (clip_norm == 0 || rate == 0) return LossView{NoLoss{}, {}};
    const double unit = scale / clip_norm;
    if (rate == 1) return LossView{PairLoss{Noise::laplace, unit / whole_shift(adjacency), 1, 1, 0}, {}};
    return batch_loss(Noise::laplace, unit, rate, sampling, adjacency, side);
  }

  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (const std::string why = batch_refusal(sampling, adjacency); !why.empty()) return Refusal{why};
    if (clip_norm == 0 || rate == 0) return RenyiCurve::at_real_orders([](double) { return 0.0; });
    const double ratio = clip_norm / scale;
    const double whole = whole_shift(adjacency) * ratio;
    const auto all = [whole](double a) { return laplace_renyi(whole, a); };
    if (rate == 1) return RenyiCurve::at_real_orders(all);
    if (sampling == Sampling::without_replacement)
      return RenyiCurve::at_integers(
          [=, q = rate](int a) { return std::min(fixed_batch_renyi(q, a, all), all(a)); });
    const auto log_moment = [=](int k) { return (k - 1) * laplace_renyi(ratio, k); };
    const auto one = [=, q = rate](int a) {
      return std::min(poisson_batch_renyi(q, a, log_moment), laplace_renyi(ratio, a));
    };
    const auto between = [=, q = rate](double a) {
      return std::min(poisson_laplace_renyi(q, ratio, a), laplace_renyi(ratio, a));
    };
    const double most = ratio <= kMostFractionalRatio ? kMostFractional : 0;
    if (adjacency == Adjacency::add_remove) return RenyiCurve{nullptr, one, between, most, HUGE_VAL};
    return RenyiCurve{nullptr, [=](int a) { return exchanged_renyi(a, all(a), one); },
                      [=](double a) { return exchanged_renyi(a, all(a), between); }, most / 2, HUGE_VAL};
  }

  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    const View<double> epsilon = pure_epsilon(adjacency);
    return epsilon.is_known() ? View<double>(rho_of_pure(epsilon.value())) : epsilon;
  }
  /// Of the sum over all rows: sampling only helps.
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    if (const std::string why = batch_refusal(sampling, adjacency); !why.empty()) return Refusal{why};
    return ratio_up(whole_shift(adjacency) * clip_norm, scale);
  }
};

}  // namespace sotto
