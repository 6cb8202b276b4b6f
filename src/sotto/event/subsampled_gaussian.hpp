// A sum over a random batch, plus Gaussian noise.
#pragma once

#include <algorithm>
#include <memory>
#include <tuple>

#include "sotto/event/sampling.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

/// One row contributes a vector of norm at most `clip_norm`.
struct SubsampledGaussianEvent {
  double clip_norm = 1;
  double sigma = 1;  ///< same units as clip_norm
  double rate = 1;
  Sampling sampling = Sampling::poisson;

  bool operator==(const SubsampledGaussianEvent&) const = default;
  static constexpr const char* name = "subsampled-gaussian";
  static auto fields() {
    using E = SubsampledGaussianEvent;
    return std::tuple(Field<E, double>{"clip_norm", &E::clip_norm, nullptr},
                      Field<E, double>{"sigma", &E::sigma, "sigma"},
                      Field<E, double>{"rate", &E::rate, "rate"},
                      Field<E, Sampling>{"sampling", &E::sampling, "sampling", false});
  }
  static NoiseField<SubsampledGaussianEvent> noise() {
    return {&SubsampledGaussianEvent::sigma, &SubsampledGaussianEvent::clip_norm};
  }
  void check() const {
    require_noise(clip_norm, sigma);
    require_batch(rate, sampling);
  }

  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    if (const std::string why = batch_refusal(sampling, adjacency); !why.empty()) return Refusal{why};
    if (clip_norm == 0 || rate == 0) return LossView{NoLoss{}, {}};
    const double scale = sigma / clip_norm;
    if (rate == 1) return LossView{GaussianLoss{whole_shift(adjacency) / scale}, {}};
    return batch_loss(Noise::gaussian, scale, rate, sampling, adjacency, side);
  }

  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (const std::string why = batch_refusal(sampling, adjacency); !why.empty()) return Refusal{why};
    if (clip_norm == 0 || rate == 0) return RenyiCurve::at_real_orders([](double) { return 0.0; });
    const double ratio = clip_norm / sigma;
    const double whole = whole_shift(adjacency) * ratio;
    if (rate == 1) return RenyiCurve::at_real_orders([whole](double a) { return gaussian_renyi(whole, a); });
    if (sampling == Sampling::without_replacement) {
      const auto batch = std::make_shared<FixedBatchGaussianRenyi>(whole, rate);
      return RenyiCurve::at_integers(
          [=](int a) { return std::min(batch->cost(a), gaussian_renyi(whole, a)); });
    }
    const auto log_moment = [=](int k) { return (k - 1) * gaussian_renyi(ratio, k); };
    const auto one = [=, q = rate](int a) {
      return std::min(poisson_batch_renyi(q, a, log_moment), gaussian_renyi(ratio, a));
    };
    const auto between = [=, q = rate](double a) {
      return std::min(poisson_gaussian_renyi(q, ratio, a), gaussian_renyi(ratio, a));
    };
    const double most = ratio <= kMostFractionalRatio ? kMostFractional : 0;
    if (adjacency == Adjacency::add_remove) return RenyiCurve{nullptr, one, between, most, HUGE_VAL};
    return RenyiCurve{nullptr, [=](int a) { return exchanged_renyi(a, gaussian_renyi(whole, a), one); },
                      [=](double a) { return exchanged_renyi(a, gaussian_renyi(whole, a), between); },
                      most / 2, HUGE_VAL};
  }

  /// Sampling only helps: Renyi divergences are quasi-convex.
  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    if (const std::string why = batch_refusal(sampling, adjacency); !why.empty()) return Refusal{why};
    const double ratio = whole_shift(adjacency) * clip_norm / sigma;
    return ratio * ratio / 2;
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"subsampled-gaussian noise is not epsilon-private"};
  }
};

}  // namespace sotto
