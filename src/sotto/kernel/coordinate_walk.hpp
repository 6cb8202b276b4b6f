// The penalty algorithm one coordinate at a time, undirected or guided: short moves need little noise. Coordinates may be those of axes
// that were chosen beforehand, along which the posterior is hardly correlated.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/kernel/adaptation.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/prior/log_prior.hpp"

namespace sotto {

/// A move of one coordinate: a symmetric random number in units of the coordinate's step size.
struct NormalMove {
  [[nodiscard]] double operator()(ChainRng& rng) const { return rng.normal(); }
};

/// Whether a chain keeps a direction for each coordinate.
enum class Guidance { none, directed };

/// Each step moves one coordinate, chosen uniformly; the owner's bound for such a pair of positions is far
/// below that of a joint move. The coordinates are those of fixed axes: a linear change of the position, under which what follows holds as
/// it stands.
///
/// Guided, the state is (position, direction of every coordinate), the directions independent fair signs
/// under the target. A step is two moves that each leave this target invariant: a Metropolis move to
/// (candidate, direction flipped), which is its own inverse, and then a flip of the same direction. Together:
/// kept after acceptance, flipped after rejection, just as printed. The chain on the extended space is not
/// reversible, and need not be.
/// Source     [R21, Section 3.1]; [G98]; proof in docs/penalty.md
/// Holds when the step size of a coordinate is the same in both directions
/// Checked by tests/kernel/coordinate_walk_test.cpp: guided_walk_is_invariant_by_enumeration
template <Guidance guidance, class Move = NormalMove>
class CoordinateWalk {
 public:
  struct Settings {
    Rho cost{0};  ///< of each log-likelihood ratio
    Matrix axes =
        {};  ///< columns: a move of one step along each axis, shape (dim, dim), of full rank; empty: the unit matrix
    double target_acceptance = 0.3;  ///< the noise takes its share of the usual 0.44
    double noise_sd = 0;  ///< > 0: noise of this size at every step, whatever it costs, instead of `cost`
    Move move = {};
  };
  struct State {
    Position position;
    Position direction;               ///< of each coordinate, 1 or -1; 0: not drawn yet, or without guidance
    std::vector<StepSize> step_size;  ///< along each axis
    std::size_t coordinate = 0;       ///< the one moved last
  };

  CoordinateWalk(Settings settings, LogPrior prior)
      : settings_(std::move(settings)), prior_(std::move(prior)) {}

  [[nodiscard]] State init(const Position& position) const {
    return {position, Position::Zero(position.size()),
            std::vector<StepSize>(static_cast<std::size_t>(position.size()), StepSize(1.0)), 0};
  }

  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    state.coordinate = rng.below(state.step_size.size());
    const auto j = static_cast<Eigen::Index>(state.coordinate);
    StepInfo info{.step_size = state.step_size[state.coordinate].value()};
    if (guidance == Guidance::directed && state.direction[j] == 0)
      state.direction[j] = rng.below(2) == 0 ? -1 : 1;
    Position candidate = state.position;
    double move = info.step_size * settings_.move(rng);
    if (guidance == Guidance::directed) move = state.direction[j] * std::abs(move);
    if (settings_.axes.size() > 0) {
      candidate += move * settings_.axes.col(j);
    } else {
      candidate[j] += move;
    }
    const double threshold = rng.uniform();
    const double prior_ratio = prior_.log_density(candidate) - prior_.log_density(state.position);
    const RatioQuery query{state.position, candidate, settings_.cost, settings_.noise_sd};
    const auto ratio = co_await query;
    if (ratio) {
      info.acceptance = penalty_acceptance(ratio->value + prior_ratio, ratio->variance);
      info.accepted = threshold < info.acceptance;
    } else {
      info.divergent = true;
    }
    if (info.accepted) {
      state.position = candidate;
    } else {
      state.direction[j] = -state.direction[j];
    }
    co_return info;
  }

  /// Every coordinate's step size is steered by the steps that moved it.
  void adapt(State& state, const StepInfo& info, std::size_t t, std::size_t warmup) const {
    const double acceptance = std::isnan(info.acceptance) ? 0 : info.acceptance;
    const std::size_t dim = state.step_size.size();
    state.step_size[state.coordinate].learn(acceptance, settings_.target_acceptance, t / dim,
                                            warmup / dim + 1);
    if (t + 1 == warmup) {
      for (StepSize& size : state.step_size) size.settle();
    }
  }

 private:
  Settings settings_;
  LogPrior prior_;
};

using PenaltyOneAtATime = CoordinateWalk<Guidance::none>;
using GuidedWalk = CoordinateWalk<Guidance::directed>;

static_assert(Kernel<PenaltyOneAtATime>);
static_assert(Kernel<GuidedWalk>);

}  // namespace sotto
