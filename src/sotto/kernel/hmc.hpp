// DP-HMC: Hamiltonian trajectories from noisy gradients, with or without friction, accepted by the penalty
// test.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/base/numbers.hpp"
#include "sotto/kernel/adaptation.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/kernel/path_length.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// Leapfrog steps with a fresh released gradient at each of the steps + 1 positions of a trajectory; the last
/// gradient and the ratio share one pass. Between the two half kicks of an inner position, friction replaces
/// part of the momentum by fresh momentum. Given the released gradients every kick is a shift of the momentum
/// that the flipped path undoes, and friction leaves N(0, mass) invariant, so only the energy that the kicks
/// put in enters the test.
/// Computes   log acceptance = ratio + log prior ratio - sum over kicks of the change of kinetic energy -
///            variance / 2
/// Source     [RKH21, Algorithm 1 and Theorem 3.3]; friction as in [ZCD20]; docs/hmc.md
/// Differs    errata E7 (fresh gradients, log in the test) and E8 (friction: the printed test is biased)
/// Checked by tests/statistical/geweke_test.cpp: hmc_keeps_the_joint_distribution
/// Checked by tests/kernel/hmc_test.cpp: accepts_exact_trajectories
class Hmc {
 public:
  struct Settings {
    Rho ratio_cost{0};
    Rho gradient_cost{0};  ///< of each of the steps + 1 gradients
    int steps = 10;        ///< leapfrog steps of a trajectory
    double step_size = 0.1;
    double jitter =
        0.5;  ///< a trajectory's step size lies in (1 - jitter, 1] of the step size; the published runs: 1
    Matrix inverse_mass;    ///< an estimate of the posterior's covariance, shape (dim, dim)
    double friction = 0;    ///< 0: none; 1: takes out on average what the gradients' noise puts in
    double batch_rate = 1;  ///< below 1: gradients of secret batches, priced by `noise_multiplier`
    double noise_multiplier = 0;
    bool search = false;  ///< in the first quarter of warmup, also take what the ratio alone calls better
    bool adapt_mass = true;
    bool adapt_length = false;       ///< learn the number of leapfrog steps in warmup
    int most_steps = 50;             ///< when learned
    double target_acceptance = 0.6;  ///< 0: the step size stays as it is
  };
  struct State {
    Position position;
    StepSize step_size;
    PathLength length;
    Matrix inverse_mass;
    Matrix mass_factor;  ///< F with F F' = mass
    double halton = -1;  ///< offset of the Halton sequence; negative: not drawn yet
    std::size_t index = 0;
    bool searching = false;
    RunningCovariance seen;
    Position start, end, momentum;  ///< of the last trajectory, for the path length
  };

  Hmc(Settings settings, LogPrior prior) : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const {
    State state{.position = position,
                .step_size = StepSize(settings_.step_size),
                .length = PathLength(settings_.step_size * settings_.steps),
                .inverse_mass = {},
                .mass_factor = {},
                .seen = {},
                .start = {},
                .end = {},
                .momentum = {}};
    set_mass(state, settings_.inverse_mass);
    return state;
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.step_size = jittered(state, rng)};
    const double eta = info.step_size;
    const int steps = leapfrog_steps(state);
    const Position scale = state.inverse_mass.diagonal().cwiseSqrt();
    Position position = state.position;
    Position momentum = state.mass_factor * rng.normals(position.size());
    const double threshold = rng.uniform();
    double work = 0;  // kinetic energy that the kicks put in

    for (int i = 0; i < steps; ++i) {
      std::optional<NoisyGradient> gradient;
      if (settings_.batch_rate < 1) {
        const BatchGradientQuery query{position, settings_.batch_rate, settings_.noise_multiplier, scale};
        gradient = co_await query;
      } else {
        const GradientQuery query{position, settings_.gradient_cost, scale};
        gradient = co_await query;
      }
      if (!gradient) {
        info.divergent = true;
        co_return info;
      }
      const Position force = gradient->value + prior_.gradient(position);
      if (i > 0) {
        kick(state, eta / 2 * force, momentum, work);
        partial_refresh(state, eta * eta * gradient->variance, momentum, rng);
      }
      kick(state, eta / 2 * force, momentum, work);
      position += eta * (state.inverse_mass * momentum);
    }

    std::optional<NoisyJoint> last;
    const RatioQuery ratio_query{state.position, position, settings_.ratio_cost};
    if (settings_.batch_rate < 1) {
      const BatchGradientQuery query{position, settings_.batch_rate, settings_.noise_multiplier, scale};
      const auto gradient = co_await query;
      if (gradient) {
        const auto ratio = co_await ratio_query;
        if (ratio) last = NoisyJoint{*gradient, *ratio};
      }
    } else {
      const JointQuery query{{position, settings_.gradient_cost, scale}, ratio_query};
      last = co_await query;
    }
    if (!last) {
      info.divergent = true;
      co_return info;
    }
    kick(state, eta / 2 * (last->gradient.value + prior_.gradient(position)), momentum, work);

    const double prior_ratio = prior_.log_density(position) - prior_.log_density(state.position);
    info.acceptance = penalty_acceptance(last->ratio.value + prior_ratio - work, last->ratio.variance);
    if (state.searching)
      info.acceptance = std::fmax(info.acceptance,
                                  penalty_acceptance(last->ratio.value + prior_ratio, last->ratio.variance));
    info.accepted = threshold < info.acceptance;
    state.start = state.position;
    state.end = position;
    state.momentum = momentum;
    if (info.accepted) state.position = position;
    co_return info;
  }

  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    const double acceptance = std::isnan(info.acceptance) ? 0 : info.acceptance;
    state.searching = settings_.search && 4 * (t + 1) < warmup;
    if (settings_.target_acceptance > 0)
      state.step_size.learn(acceptance, settings_.target_acceptance, t, warmup);
    if (4 * t >= warmup) state.seen.add(state.position);
    if (settings_.adapt_length && state.seen.count() >= 10 && !info.divergent)
      learn_length(state, acceptance, info.step_size);
    if (settings_.adapt_mass && state.seen.count() >= 20 && (2 * t == warmup || 2 * t == warmup + 1)) {
      set_mass(state, state.seen.shrunk(settings_.inverse_mass));
      if (settings_.target_acceptance > 0) state.step_size = StepSize(state.step_size.value());
    }
  }

 private:
  /// Shifts the momentum and books the work.
  /// Computes   K(p + s) - K(p) = s' M^-1 (p + s / 2)
  static void kick(const State& state, const Position& shift, Position& momentum, double& work) {
    work += (state.inverse_mass * shift).dot(momentum + shift / 2);
    momentum += shift;
  }

  /// Friction: an Ornstein-Uhlenbeck step that leaves N(0, mass) invariant. `heat` is the variance of the
  /// noise that a whole kick adds to each momentum: a public function of the position, so the flipped path
  /// refreshes as much.
  /// Computes   p <- c p + sqrt(1 - c^2) F z,   c^2 = 1 / (1 + friction * mean of heat_j (M^-1)_jj)
  void partial_refresh(const State& state, const Position& heat, Position& momentum, ChainRng& rng) const {
    if (settings_.friction == 0) return;
    const double relative =
        settings_.friction * heat.dot(state.inverse_mass.diagonal()) / static_cast<double>(heat.size());
    const double kept = 1 / (1 + relative);
    momentum =
        std::sqrt(kept) * momentum + std::sqrt(1 - kept) * (state.mass_factor * rng.normals(momentum.size()));
  }

  [[nodiscard]] int leapfrog_steps(const State& state) const {
    if (!settings_.adapt_length) return settings_.steps;
    const double steps = std::round(state.length.value() / state.step_size.value());
    return static_cast<int>(std::clamp(steps, 1.0, static_cast<double>(settings_.most_steps)));
  }

  void learn_length(State& state, double acceptance, double taken) const {
    const double eta = state.step_size.value();
    const double per_step = leapfrog_steps(state) * settings_.gradient_cost.value();
    const double price = settings_.ratio_cost.value() + settings_.gradient_cost.value() + per_step;
    const auto whiten = [&](const Position& x) -> Position { return state.mass_factor.transpose() * x; };
    state.length.learn(whiten(state.start), whiten(state.end), whiten(state.inverse_mass * state.momentum),
                       whiten(state.seen.mean()), taken * leapfrog_steps(state), acceptance,
                       price > 0 ? per_step / price : 0, eta, settings_.most_steps * eta);
  }

  static void set_mass(State& state, const Matrix& inverse_mass) {
    state.inverse_mass = inverse_mass;
    // inverse mass = L L', so mass = L'^-1 L^-1 and F = L'^-1.
    const Eigen::Index dim = inverse_mass.rows();
    state.mass_factor = Cholesky(inverse_mass).half_solve(Matrix::Identity(dim, dim)).transpose();
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
