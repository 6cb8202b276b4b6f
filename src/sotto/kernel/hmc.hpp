// DP-HMC: Hamiltonian trajectories from noisy gradients, accepted by the penalty test.
#pragma once

#include <cmath>

#include "sotto/base/numbers.hpp"
#include "sotto/kernel/adaptation.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// A trajectory takes leapfrog steps with a fresh noisy gradient at each of the steps + 1 momentum updates.
/// Symmetric noise keeps the proposal reversible and volume-preserving, so only the ratio's noise needs the
/// penalty. Source     [RKH21, Algorithm 1 and Theorem 3.3], with errata E7 Checked by
/// tests/kernel/hmc_test.cpp
class Hmc {
 public:
  struct Settings {
    Rho ratio_cost{0};
    Rho gradient_cost{0};  ///< of each of the steps + 1 gradients
    int steps = 10;        ///< leapfrog steps of a trajectory
    double step_size = 0.1;
    double jitter =
        0.5;  ///< a trajectory's step size lies in (1 - jitter, 1] of the step size; the published runs: 1
    Matrix inverse_mass;  ///< an estimate of the posterior's covariance, shape (dim, dim)
    double target_acceptance = 0.6;
  };
  struct State {
    Position position;
    StepSize step_size;
    Matrix inverse_mass;
    Matrix mass_factor;  ///< F with F F' = mass
    double halton = -1;  ///< offset of the Halton sequence; negative: not drawn yet
    std::size_t index = 0;
    RunningCovariance seen;
  };

  Hmc(Settings settings, LogPrior prior) : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const {
    State state{.position = position,
                .step_size = StepSize(settings_.step_size),
                .inverse_mass = {},
                .mass_factor = {},
                .seen = {}};
    set_mass(state, settings_.inverse_mass);
    return state;
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.step_size = jittered(state, rng)};
    const double eta = info.step_size;
    Position position = state.position;
    Position momentum = state.mass_factor * rng.normals(position.size());
    const double threshold = rng.uniform();
    const double kinetic_before = momentum.dot(state.inverse_mass * momentum) / 2;

    for (int i = 0; i <= settings_.steps; ++i) {
      const GradientQuery gradient_query{position, settings_.gradient_cost};
      const auto gradient = co_await gradient_query;
      if (!gradient) {
        info.divergent = true;
        co_return info;
      }
      const bool end = i == 0 || i == settings_.steps;
      momentum += (end ? eta / 2 : eta) * (gradient->value + prior_.gradient(position));
      if (i < settings_.steps) position += eta * (state.inverse_mass * momentum);
    }

    const RatioQuery ratio_query{state.position, position, settings_.ratio_cost};
    const auto ratio = co_await ratio_query;
    if (!ratio) {
      info.divergent = true;
      co_return info;
    }
    const double kinetic_after = momentum.dot(state.inverse_mass * momentum) / 2;
    const double energy_drop = ratio->value + prior_.log_density(position) -
                               prior_.log_density(state.position) + kinetic_before - kinetic_after;
    info.acceptance = penalty_acceptance(energy_drop, ratio->variance);
    info.accepted = threshold < info.acceptance;
    if (info.accepted) state.position = position;
    co_return info;
  }

  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    const double acceptance = std::isnan(info.acceptance) ? 0 : info.acceptance;
    state.step_size.learn(acceptance, settings_.target_acceptance, t, warmup);
    if (4 * t >= warmup) state.seen.add(state.position);
    if (state.seen.count() >= 20 && (2 * t == warmup || 2 * t == warmup + 1)) {
      set_mass(state, state.seen.shrunk(settings_.inverse_mass));
      state.step_size = StepSize(state.step_size.value());
    }
  }

 private:
  static void set_mass(State& state, const Matrix& inverse_mass) {
    state.inverse_mass = inverse_mass;
    // inverse mass = L L', so mass = L'^-1 L^-1 and F = L'^-1.
    const Eigen::Index dim = inverse_mass.rows();
    state.mass_factor = inverse_mass.llt().matrixL().transpose().solve(Matrix::Identity(dim, dim));
  }

  /// The next point of a randomly shifted base-2 Halton (van der Corput) sequence scales the step.
  [[nodiscard]] double jittered(State& state, ChainRng& rng) const {
    if (state.halton < 0) state.halton = rng.uniform();
    double point = 0;
    double digit = 0.5;
    for (std::size_t rest = ++state.index; rest > 0; rest /= 2, digit /= 2)
      point += static_cast<double>(rest % 2) * digit;
    point = std::fmod(point + state.halton, 1.0);
    return state.step_size.value() * (1 - settings_.jitter * point);
  }

  Settings settings_;
  LogPrior prior_;
};

static_assert(Kernel<Hmc>);

}  // namespace sotto
