// What the Metropolis-like kernels share: a position, a proposal and what warmup learns about both.
#pragma once

#include <cmath>
#include <utility>

#include "sotto/kernel/adaptation.hpp"
#include "sotto/kernel/step.hpp"
#include "sotto/proposal/proposal.hpp"

namespace sotto {

/// The state of a chain that proposes a whole position at a time.
template <Proposal P>
struct Walk {
  Position position;
  StepSize step_size;
  P proposal;
  RunningCovariance seen;
};

/// `step_size` 0 stands for 2.4 / sqrt(dim), right for a normal target without noise [RGG97].
template <Proposal P>
[[nodiscard]] Walk<P> start_walk(const Position& position, const P& proposal, double step_size) {
  const double size = step_size > 0 ? step_size : 2.4 / std::sqrt(static_cast<double>(position.size()));
  return {position, StepSize(size), proposal, {}};
}

/// First half of warmup: step size only. Second half: also the covariance, from the chain's own positions, if
/// the proposal can learn one; steps stay as long as they were, as a chain that hardly moved knows the shape at best.
template <Proposal P>
void adapt_walk(Walk<P>& walk, const StepInfo& info, double target, std::size_t t, std::size_t warmup) {
  walk.step_size.learn(std::isnan(info.acceptance) ? 0 : info.acceptance, target, t, warmup);
  if constexpr (requires(Matrix covariance) {
                  walk.proposal.learn(covariance);
                  { walk.proposal.covariance() } -> std::convertible_to<Matrix>;
                }) {
    if (4 * t >= warmup) walk.seen.add(walk.position);
    if (walk.seen.count() >= 20 && (2 * t == warmup || 2 * t == warmup + 1)) {
      const Matrix known = walk.proposal.covariance();
      const Matrix learnt = walk.seen.shrunk(known);
      walk.proposal.learn(learnt);
      const double longer = std::exp((known.diagonal().array() / learnt.diagonal().array()).log().mean() / 2);
      walk.step_size = StepSize(walk.step_size.value() * longer);
    }
  }
}

}  // namespace sotto
