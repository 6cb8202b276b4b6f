// DP Barker: the logistic acceptance test, whose own randomness absorbs the noise on the log-likelihood ratio.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/kernel/correction.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/kernel/walk.hpp"
#include "sotto/prior/log_prior.hpp"
#include "sotto/proposal/normal_walk.hpp"

namespace sotto {

/// The logistic test against an exact ratio.
/// Computes   1 / (1 + exp(-log_ratio))
[[nodiscard]] inline double barker_acceptance(double log_ratio) {
  return log_ratio > 0 ? 1 / (1 + std::exp(-log_ratio)) : std::exp(log_ratio) / (1 + std::exp(log_ratio));
}

/// The noise has the same size at every step, so long steps cost more. The chain accepts with a probability within
/// Correction::error() of the logistic one, for which it is reversible; as good as exact up to variance 1.
/// Computes   accept when  released ratio + log prior ratio + correction > 0
/// Source     [HJDH19]; [R21, Algorithm 2], with errata E4 and E11
/// Differs    the whole data are read, so that the noise is the only error and costs what a Gaussian release costs
/// Holds when the noise variance the owners put in, together, is the correction's
/// Checked by tests/kernel/barker_test.cpp: reversible_by_enumeration_up_to_the_stated_error
template <Proposal P = NormalWalk>
class Barker {
 public:
  struct Settings {
    double noise_variance = 2;       ///< 0.5, 1, 1.5, 1.75, 2 or 2.5; 0: exact ratios, for study
    P proposal;                      ///< before scaling by the step size
    double step_size = 0;            ///< 0: 2.4 / sqrt(dim)
    double target_acceptance = 0.2;  ///< 0: step size and covariance stay as they are
    std::size_t owners = 1;          ///< who share the noise evenly
    /// What a ratio between two positions costs, in even shares of the budget: the same in both directions, from public things
    /// alone; none: nobody counts. Warmup learns steps whose proposals cost less than a share on average.
    std::function<double(const Position&, const Position&)> shares = {};
    double most_shares =
        3;  ///< proposals that cost more are rejected unasked, which leaves the target as it is
  };
  struct State : Walk<P> {
    double acceptance = 0, shares = 0;  ///< of the latest proposals, on average
  };

  Barker(Settings settings, LogPrior prior) : settings_(std::move(settings)), prior_(std::move(prior)) {
    if (settings_.noise_variance != 0) correction_.emplace(settings_.noise_variance);
  }

  [[nodiscard]] State init(const Position& position) const {
    return {start_walk(position, settings_.proposal, settings_.step_size), settings_.target_acceptance,
            kSpent};
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info{.step_size = state.step_size.value()};
    const Position candidate = state.proposal.propose(state.position, info.step_size, rng);
    const double threshold = rng.uniform();
    if (settings_.shares) {
      const double shares = settings_.shares(state.position, candidate);
      info.shares = std::fmin(shares, settings_.most_shares);
      if (!(shares <= settings_.most_shares)) co_return info;
    }
    const double known = prior_.log_density(candidate) - prior_.log_density(state.position) +
                         state.proposal.log_ratio(state.position, candidate, info.step_size);
    const double noise_sd = std::sqrt(settings_.noise_variance / static_cast<double>(settings_.owners));
    const RatioQuery query{state.position, candidate, Rho(0), noise_sd};
    const auto ratio = co_await query;
    if (!ratio) {
      info.divergent = true;
      co_return info;
    }
    if (std::abs(ratio->variance - settings_.noise_variance) > 1e-6) {
      throw Error(ErrorCode::configuration,
                  "the noise is not what the Barker test needs: set `owners` to their number");
    }
    const double log_ratio = ratio->value + known;
    info.acceptance = correction_ ? correction_->acceptance(log_ratio) : barker_acceptance(log_ratio);
    info.accepted = threshold < info.acceptance;
    if (info.accepted) state.position = candidate;
    co_return info;
  }

  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    if (settings_.target_acceptance == 0) return;
    StepInfo told = info;
    if (std::isnan(told.acceptance)) told.acceptance = 0;
    if (settings_.shares) {
      // Single tests nearly always come out at 0 or 1: averages tell which of both bounds holds steps back.
      state.acceptance += kNewest * (told.acceptance - state.acceptance);
      state.shares += kNewest * (info.shares - state.shares);
      const double cheap = settings_.target_acceptance + kCheapness * (kSpent - state.shares);
      told.acceptance = std::min(state.acceptance, cheap);
    }
    adapt_walk(state, told, settings_.target_acceptance, t, warmup);
  }

  /// Only with noise.
  [[nodiscard]] const Correction& correction() const { return *correction_; }

 private:
  static constexpr double kSpent =
      0.9;  ///< of a share, on average: the rest is for steps that cost more later
  static constexpr double kCheapness = 0.25;  ///< of what a share saved counts for, beside acceptance
  static constexpr double kNewest = 0.05;     ///< weight in the averages
  Settings settings_;
  LogPrior prior_;
  std::optional<Correction> correction_;
};

static_assert(Kernel<Barker<>>);

}  // namespace sotto
