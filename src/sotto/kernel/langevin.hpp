// DP-SGLD and DP-SGNHT: chains without an acceptance test, driven by noisy gradients of secret batches.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/position.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// What both chains share. Gradients are asked for in coordinates divided by `scale`; steps are taken, and noise is added, in
/// coordinates y, x = factor y, in which the posterior should be about as wide in every direction.
struct LangevinSettings {
  double rate = 0.01;           ///< of the Poisson batches
  double noise_multiplier = 1;  ///< of each gradient, as paid for
  Position scale;               ///< an estimate of each coordinate's posterior sd, shape (dim)
  Matrix factor = {};  ///< noise_aligned_factor of the posterior's covariance; empty: diagonal, of `scale`
  double spread = 0;   ///< of a gradient in y beside its noise: known variance that is not added again
  double step_size = 0.1;  ///< SGLD: of the discretised diffusion; SGNHT: of time
  double decay = 0;        ///< step t is (1 + t / decay_from)^-decay times the first; SGLD only
  double decay_from = 100;
  double diffusion = 1;  ///< SGNHT: A; the thermostat starts there
};

/// F with F F' = covariance for which noise that is alike in the coordinates divided by `scale` is independent in those
/// of F: F' diag(scale)^-2 F is diagonal.
[[nodiscard]] inline Matrix noise_aligned_factor(const Matrix& covariance, const Position& scale) {
  const Matrix lower = Cholesky(covariance).lower();
  const Matrix relative = scale.cwiseInverse().asDiagonal() * lower;
  return lower * Spectrum(relative.transpose() * relative).vectors();
}

[[nodiscard]] inline LangevinSettings with_factor(LangevinSettings settings) {
  if (settings.factor.size() == 0) settings.factor = settings.scale.asDiagonal();
  return settings;
}

/// A released gradient in the coordinates of the steps.
struct AlignedGradient {
  Position force;           ///< with the prior's
  Eigen::ArrayXd variance;  ///< of all that is random in it, as far as it is known

  AlignedGradient(const LangevinSettings& settings, const NoisyGradient& gradient, const Position& prior)
      : force(settings.factor.transpose() * (gradient.value + prior)),
        variance((settings.factor.cwiseAbs2().transpose() * gradient.variance).array() + settings.spread) {}
};

/// Stochastic gradient Langevin dynamics. What is random in the released gradient, privacy noise and the batch's known
/// spread, is part of the injected noise: only what is missing to its variance is added. So that it never exceeds it, a
/// step is at most 4 / (largest variance).
/// Computes   y <- y + (h / 2) g + N(0, h - h^2 v / 4), v the known variance of g
/// Source     [WFS15, Section 4], drift from [WT11, Section 3]
/// Differs    erratum E14: with drift h g, as in the published runs, the target is the squared posterior
/// Holds when the step is small; the batch's own spread heats the chain: docs/sgld.md
/// Checked by tests/statistical/langevin_test.cpp: sgld_injects_no_more_than_the_privacy_noise_leaves_over, sgld_is_heated_by_its_batches_as_predicted
class Sgld {
 public:
  using Settings = LangevinSettings;
  struct State {
    Position position;
    std::size_t t = 0;
  };

  Sgld(Settings settings, LogPrior prior)
      : settings_(with_factor(std::move(settings))), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const { return {position}; }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.accepted = true, .acceptance = 1};
    const BatchGradientQuery query{state.position, settings_.rate, settings_.noise_multiplier,
                                   settings_.scale};
    const auto gradient = co_await query;
    if (!gradient) {
      info.divergent = true;
      co_return info;
    }
    const AlignedGradient aligned(settings_, *gradient, prior_.gradient(state.position));
    const double wanted =
        settings_.step_size *
        std::pow(1 + static_cast<double>(state.t++) / settings_.decay_from, -settings_.decay);
    const double hottest = aligned.variance.maxCoeff();
    const double h = hottest > 0 ? std::min(wanted, 4 / hottest) : wanted;
    info.step_size = h;
    const Position missing = (h - h * h / 4 * aligned.variance).max(0.0).sqrt();
    state.position +=
        settings_.factor * (h / 2 * aligned.force + missing.cwiseProduct(rng.normals(missing.size())));
    co_return info;
  }

  void adapt(State&, const StepInfo&, std::size_t, std::size_t) const {}

 private:
  Settings settings_;
  LogPrior prior_;
};

/// Stochastic gradient Nose-Hoover thermostat: a friction that adapts until the momentum has unit variance,
/// and so takes out noise of unknown size. The privacy noise is part of the injected noise.
/// Computes   p <- p + h g - h xi p + N(0, 2 A h - h^2 v),   y <- y + h p,   xi <- xi + h (p'p / dim - 1)
/// Source     [DFBCSN14, Algorithm 2]
/// Holds when the step is small, and 2 A >= h v so that the noise is alike in all coordinates
/// Checked by tests/statistical/langevin_test.cpp: sgnht_takes_out_the_heat_of_its_batches
class Sgnht {
 public:
  using Settings = LangevinSettings;
  struct State {
    Position position;
    Position momentum;  ///< in the coordinates of the steps; empty: not drawn yet
    double thermostat = 0;
  };

  Sgnht(Settings settings, LogPrior prior)
      : settings_(with_factor(std::move(settings))), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const { return {position, {}, settings_.diffusion}; }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.accepted = true, .acceptance = 1, .step_size = settings_.step_size};
    const double h = settings_.step_size;
    if (state.momentum.size() == 0) state.momentum = rng.normals(state.position.size());
    const BatchGradientQuery query{state.position, settings_.rate, settings_.noise_multiplier,
                                   settings_.scale};
    const auto gradient = co_await query;
    if (!gradient) {
      info.divergent = true;
      co_return info;
    }
    const AlignedGradient aligned(settings_, *gradient, prior_.gradient(state.position));
    const Position missing = (2 * settings_.diffusion * h - h * h * aligned.variance).max(0.0).sqrt();
    state.momentum += h * aligned.force - h * state.thermostat * state.momentum +
                      missing.cwiseProduct(rng.normals(missing.size()));
    state.position += h * (settings_.factor * state.momentum);
    state.thermostat += h * (state.momentum.squaredNorm() / static_cast<double>(state.momentum.size()) - 1);
    co_return info;
  }

  void adapt(State&, const StepInfo&, std::size_t, std::size_t) const {}

 private:
  Settings settings_;
  LogPrior prior_;
};

static_assert(Kernel<Sgld>);
static_assert(Kernel<Sgnht>);

}  // namespace sotto
