// The DP penalty algorithm: Metropolis whose acceptance test corrects for the noise on the log-likelihood
// ratio.
#pragma once

#include <cmath>
#include <utility>

#include "sotto/base/numbers.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/kernel/walk.hpp"
#include "sotto/prior/log_prior.hpp"
#include "sotto/proposal/normal_walk.hpp"

namespace sotto {

/// The probability of accepting, given what is known of the log posterior ratio and the noise on it.
/// Computes   min(1, exp(log_ratio - variance / 2))
/// Source     [CD99]; exact for discrete Gaussian noise whose variance is a whole multiple of its grid:
///            docs/penalty.md
/// Checked by tests/kernel/penalty_test.cpp: detailed_balance_by_enumeration
[[nodiscard]] inline double penalty_acceptance(double log_ratio, double variance) {
  const double log_probability = log_ratio - variance / 2;
  return log_probability >= 0 ? 1 : std::exp(log_probability);  // NaN gives NaN, which never accepts
}

/// Source     [Y17, Algorithm 1], with errata E18; [RKH21, Section 2]
/// Checked by tests/contract/kernel_contract_test.cpp: leaves_the_quadrature_posterior_invariant
template <Proposal P>
class Penalty {
 public:
  struct Settings {
    Rho cost{0};           ///< of each log-likelihood ratio: noise in proportion to the step's sensitivity
    P proposal;            ///< before scaling by the step size
    double step_size = 0;  ///< 0: 2.4 / sqrt(dim)
    double target_acceptance = 0.2;  ///< the noise takes its share of the usual 0.234
    double noise_sd = 0;  ///< > 0: noise of this size at every step, whatever it costs, instead of `cost`
  };
  using State = Walk<P>;

  Penalty(Settings settings, LogPrior prior) : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const {
    return start_walk(position, settings_.proposal, settings_.step_size);
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.step_size = state.step_size.value()};
    const Position candidate = state.proposal.propose(state.position, info.step_size, rng);
    const double threshold = rng.uniform();
    const double known = prior_.log_density(candidate) - prior_.log_density(state.position) +
                         state.proposal.log_ratio(state.position, candidate, info.step_size);
    const RatioQuery query{state.position, candidate, settings_.cost, settings_.noise_sd};
    const auto ratio = co_await query;
    if (!ratio) {
      info.divergent = true;
      co_return info;
    }
    info.acceptance = penalty_acceptance(ratio->value + known, ratio->variance);
    info.accepted = threshold < info.acceptance;
    if (info.accepted) state.position = candidate;
    co_return info;
  }

  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    adapt_walk(state, info, settings_.target_acceptance, t, warmup);
  }

 private:
  Settings settings_;
  LogPrior prior_;
};

/// The usual one: a normal random walk that learns its covariance. Against an owner without noise, plain
/// Metropolis.
using PenaltyMetropolis = Penalty<NormalWalk>;

static_assert(Kernel<PenaltyMetropolis>);

}  // namespace sotto
