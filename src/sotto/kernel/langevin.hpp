// DP-SGLD and DP-SGNHT: chains without an acceptance test, driven by noisy gradients of secret batches.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/position.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// What both chains share. In coordinates divided by `scale` the posterior should be about as wide in every
/// direction; gradients are asked for, and noise is added, in those coordinates.
struct LangevinSettings {
  double rate = 0.01;           ///< of the Poisson batches
  double noise_multiplier = 1;  ///< of each gradient, as paid for
  Position scale;               ///< an estimate of each coordinate's posterior sd, shape (dim)
  double step_size = 0.1;       ///< SGLD: of the discretised diffusion; SGNHT: of time
  double decay = 0;             ///< step t is (1 + t / decay_from)^-decay times the first; SGLD only
  double decay_from = 100;
  double diffusion = 1;  ///< SGNHT: A; the thermostat starts there
};

/// Stochastic gradient Langevin dynamics. The privacy noise of the released gradient is part of the injected
/// noise: only what is missing to its variance is added. So that it never exceeds it, a step is at most
/// 4 / (largest scaled noise variance).
/// Computes   x <- x + (h / 2) g + N(0, h - h^2 v / 4) in scaled coordinates, v the noise variance of g
/// Source     [WFS15, Section 4], drift from [WT11, Section 3]
/// Differs    erratum E14: with drift h g, as in the published runs, the target is the squared posterior
/// Holds when the step is small; the batch's own spread heats the chain: docs/sgld.md
/// Checked by tests/statistical/langevin_test.cpp
class Sgld {
 public:
  using Settings = LangevinSettings;
  struct State {
    Position position;
    std::size_t t = 0;
  };

  Sgld(Settings settings, LogPrior prior) : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const { return {position}; }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.accepted = true, .acceptance = 1};
    const Position& scale = settings_.scale;
    const BatchGradientQuery query{state.position, settings_.rate, settings_.noise_multiplier, scale};
    const auto gradient = co_await query;
    if (!gradient) {
      info.divergent = true;
      co_return info;
    }
    const Position force = scale.array() * (gradient->value + prior_.gradient(state.position)).array();
    const Eigen::ArrayXd variance = scale.array().square() * gradient->variance.array();
    const double wanted =
        settings_.step_size *
        std::pow(1 + static_cast<double>(state.t++) / settings_.decay_from, -settings_.decay);
    const double hottest = variance.maxCoeff();
    const double h = hottest > 0 ? std::min(wanted, 4 / hottest) : wanted;
    info.step_size = h;
    const Eigen::ArrayXd missing = (h - h * h / 4 * variance).max(0.0).sqrt();
    state.position.array() +=
        scale.array() * (h / 2 * force.array() + missing * rng.normals(force.size()).array());
    co_return info;
  }

  void adapt(State&, const StepInfo&, std::size_t, std::size_t) const {}

 private:
  Settings settings_;
  LogPrior prior_;
};

/// Stochastic gradient Nose-Hoover thermostat: a friction that adapts until the momentum has unit variance,
/// and so takes out noise of unknown size. The privacy noise is part of the injected noise.
/// Computes   p <- p + h g - h xi p + N(0, 2 A h - h^2 v),   x <- x + h p,   xi <- xi + h (p'p / dim - 1)
/// Source     [DFBCSN14, Algorithm 2]
/// Holds when the step is small and the noise is alike in all scaled coordinates
/// Checked by tests/statistical/langevin_test.cpp
class Sgnht {
 public:
  using Settings = LangevinSettings;
  struct State {
    Position position;
    Position momentum;  ///< in scaled coordinates; empty: not drawn yet
    double thermostat = 0;
  };

  Sgnht(Settings settings, LogPrior prior) : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const { return {position, {}, settings_.diffusion}; }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.accepted = true, .acceptance = 1, .step_size = settings_.step_size};
    const double h = settings_.step_size;
    const Position& scale = settings_.scale;
    if (state.momentum.size() == 0) state.momentum = rng.normals(state.position.size());
    const BatchGradientQuery query{state.position, settings_.rate, settings_.noise_multiplier, scale};
    const auto gradient = co_await query;
    if (!gradient) {
      info.divergent = true;
      co_return info;
    }
    const Position force = scale.array() * (gradient->value + prior_.gradient(state.position)).array();
    const Eigen::ArrayXd variance = scale.array().square() * gradient->variance.array();
    const Eigen::ArrayXd missing = (2 * settings_.diffusion * h - h * h * variance).max(0.0).sqrt();
    state.momentum.array() += h * force.array() - h * state.thermostat * state.momentum.array() +
                              missing * rng.normals(force.size()).array();
    state.position.array() += h * scale.array() * state.momentum.array();
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
