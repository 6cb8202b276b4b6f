// The DP penalty algorithm for exponential families: a fresh noisy sufficient statistic at every step.
#pragma once

#include <cmath>
#include <functional>
#include <utility>

#include "sotto/base/numbers.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/kernel/walk.hpp"
#include "sotto/prior/log_prior.hpp"
#include "sotto/proposal/normal_walk.hpp"

namespace sotto {

/// The log-likelihood ratio is linear in the statistic, so its noise is a weighted sum of the entries'
/// noises. The penalty is exact for such a sum when every weight is a whole multiple of the release's
/// quantum; coefficients are therefore rounded to it, at each position by itself, which is the posterior of
/// the rounded coefficients, exactly.
/// Computes   d_j = round(c_j(to) / quantum_j) quantum_j - round(c_j(from) / quantum_j) quantum_j
///            ratio = d . statistic,   variance = sum d_j^2 variance_j
/// Source     [Y17, Algorithm 3]
/// Differs    rounded coefficients; the number of rows is a noisy entry of the statistic; proof in
///            docs/penalty.md
/// Checked by tests/kernel/penalty_exponential_family_test.cpp: balance_holds_for_weights_that_are_multiples_of_the_quantum
template <Proposal P = NormalWalk>
class PenaltyExponentialFamily {
 public:
  struct Settings {
    Rho cost{0};  ///< of each noisy statistic
    P proposal;   ///< before scaling by the step size
    /// The log likelihood is coefficients(position) . statistic. Public; StandardStatistic::coefficients.
    std::function<Position(const Position&)> coefficients;
    double step_size = 0;  ///< 0: 2.4 / sqrt(dim)
    double target_acceptance = 0.2;
  };
  using State = Walk<P>;

  PenaltyExponentialFamily(Settings settings, LogPrior prior)
      : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const {
    return start_walk(position, settings_.proposal, settings_.step_size);
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.step_size = state.step_size.value()};
    const Position candidate = state.proposal.propose(state.position, info.step_size, rng);
    const double threshold = rng.uniform();
    const double known = prior_.log_density(candidate) - prior_.log_density(state.position) +
                         state.proposal.log_ratio(state.position, candidate, info.step_size);
    const StatisticQuery query{settings_.cost};
    const auto statistic = co_await query;
    if (!statistic) {
      info.divergent = true;
      co_return info;
    }
    const Position change = rounded(settings_.coefficients(candidate), statistic->quantum) -
                            rounded(settings_.coefficients(state.position), statistic->quantum);
    const double variance = change.cwiseAbs2().dot(statistic->variance);
    info.acceptance = penalty_acceptance(change.dot(statistic->value) + known, variance);
    info.accepted = threshold < info.acceptance;
    info.divergent = !std::isfinite(variance);
    if (info.accepted) state.position = candidate;
    co_return info;
  }

  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    adapt_walk(state, info, settings_.target_acceptance, t, warmup);
  }

  [[nodiscard]] static Position rounded(const Position& coefficients, const Position& quantum) {
    return (coefficients.array() / quantum.array()).rint() * quantum.array();
  }

 private:
  Settings settings_;
  LogPrior prior_;
};

static_assert(Kernel<PenaltyExponentialFamily<>>);

}  // namespace sotto
