// What a Metropolis kernel needs of a proposal: a candidate, and how much likelier the way back is.
#pragma once

#include <concepts>

#include "sotto/base/position.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// A user writes one by giving a class these two functions:
///
/// propose(at, size, rng)       a candidate; `size` scales the move and is what warmup steers
/// log_ratio(from, to, size)    log q(from | to) - log q(to | from); 0 for a symmetric proposal
///
/// A proposal that also has `learn(covariance)` is given the covariance of the chain's own positions in the
/// middle of warmup. Nothing here may see a row.
template <class P>
concept Proposal = std::copyable<P> &&
    requires(const P& proposal, const Position& position, double size, ChainRng& rng) {
  { proposal.propose(position, size, rng) } -> std::same_as<Position>;
  { proposal.log_ratio(position, position, size) } -> std::convertible_to<double>;
};

}  // namespace sotto
