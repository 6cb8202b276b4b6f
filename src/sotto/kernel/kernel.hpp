// What the chain driver needs of a kernel.
#pragma once

#include <concepts>
#include <cstddef>

#include "sotto/base/position.hpp"
#include "sotto/kernel/step.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// init(position)            a chain's state, with member `position`
/// step(state, rng)          one Markov step on the state; leaves the posterior invariant while the state's
///                           tuning is fixed
/// adapt(state, info, t, n)  after warmup step t of n: learns tuning from what the chain has seen, which is
///                           free; after t = n - 1 the tuning is final
template <class K>
concept Kernel = requires(const K& kernel, typename K::State& state, ChainRng& rng, const Position& position,
                          const StepInfo& info, std::size_t count) {
  { kernel.init(position) } -> std::same_as<typename K::State>;
  { kernel.step(state, rng) } -> std::same_as<Step>;
  kernel.adapt(state, info, count, count);
  { state.position } -> std::convertible_to<Position>;
};

}  // namespace sotto
