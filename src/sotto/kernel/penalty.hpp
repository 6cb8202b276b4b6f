// The DP penalty algorithm: random-walk Metropolis whose acceptance test corrects for the noise on the
// log-likelihood ratio.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/numbers.hpp"
#include "sotto/kernel/adaptation.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// The probability of accepting, given what is known of the log posterior ratio and the noise on it.
/// Computes   min(1, exp(log_ratio - variance / 2))
/// Source     [CD99]; exact for discrete Gaussian noise whose variance is a whole multiple of its grid:
/// docs/penalty.md Checked by tests/kernel/penalty_test.cpp: detailed_balance_by_enumeration
[[nodiscard]] inline double penalty_acceptance(double log_ratio, double variance) {
  const double log_probability = log_ratio - variance / 2;
  return log_probability >= 0 ? 1 : std::exp(log_probability);  // NaN gives NaN, which never accepts
}

class PenaltyMetropolis {
 public:
  struct Settings {
    Rho cost{0};                     ///< of each log-likelihood ratio
    Matrix proposal;                 ///< covariance of the random walk before scaling, shape (dim, dim)
    double step_size = 0;            ///< 0: 2.4 / sqrt(dim)
    double target_acceptance = 0.2;  ///< the noise takes its share of the usual 0.234
  };
  struct State {
    Position position;
    StepSize step_size;
    Matrix factor;  ///< Cholesky factor of the proposal's covariance
    RunningCovariance seen;
  };

  PenaltyMetropolis(Settings settings, LogPrior prior)
      : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const {
    const double size =
        settings_.step_size > 0 ? settings_.step_size : 2.4 / std::sqrt(static_cast<double>(position.size()));
    return {position, StepSize(size), settings_.proposal.llt().matrixL(), {}};
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.step_size = state.step_size.value()};
    const Position candidate =
        state.position + info.step_size * (state.factor * rng.normals(state.position.size()));
    const double threshold = rng.uniform();
    const double prior_ratio = prior_.log_density(candidate) - prior_.log_density(state.position);
    const RatioQuery query{state.position, candidate, settings_.cost};
    const auto ratio = co_await query;
    if (!ratio) {
      info.divergent = true;
      co_return info;
    }
    info.acceptance = penalty_acceptance(ratio->value + prior_ratio, ratio->variance);
    info.accepted = threshold < info.acceptance;
    if (info.accepted) state.position = candidate;
    co_return info;
  }

  /// First half of warmup: step size only. Second half: also the covariance, from the chain's own positions.
  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    state.step_size.learn(info.acceptance, settings_.target_acceptance, t, warmup);
    if (4 * t >= warmup) state.seen.add(state.position);
    if (state.seen.count() >= 20 && (2 * t == warmup || 2 * t == warmup + 1)) {
      state.factor = state.seen.shrunk(settings_.proposal).llt().matrixL();
      state.step_size = StepSize(state.step_size.value());
    }
  }

 private:
  Settings settings_;
  LogPrior prior_;
};

static_assert(Kernel<PenaltyMetropolis>);

}  // namespace sotto
