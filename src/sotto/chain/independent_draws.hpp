// Draws that come from no Markov chain, in the shape of several.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// `draw` gives one draw, shape (parameters), from the stream that it is handed; each of `chains` has a stream of its own. Where `progress` says
/// no, chains end with the draws that they have. At least one draw is made.
template <class Draw>
[[nodiscard]] std::vector<Chain> independent_draws(std::size_t chains, std::size_t draws,
                                                   Eigen::Index parameters, std::uint64_t seed,
                                                   const Progress& progress, const Draw& draw) {
  constexpr std::size_t kAtOnce = 100;
  std::vector<Chain> made(chains);
  std::vector<ChainRng> rngs;
  for (std::size_t c = 0; c < chains; ++c) {
    rngs.emplace_back(seed, c);
    made[c].seed = seed;
    made[c].draws.resize(static_cast<Eigen::Index>(draws), parameters);
  }
  std::size_t done = 0;
  for (bool go_on = true; done < draws && go_on; go_on = progress(done, draws)) {
    const std::size_t until = std::min(draws, done + kAtOnce);
    for (std::size_t c = 0; c < chains; ++c) {
      for (std::size_t i = done; i < until; ++i)
        made[c].draws.row(static_cast<Eigen::Index>(i)) = draw(rngs[c]);
    }
    done = until;
  }
  if (done < draws) {
    for (Chain& chain : made) {
      chain.draws.conservativeResize(static_cast<Eigen::Index>(done), Eigen::NoChange);
      chain.stop = StopReason::interrupted;
    }
  }
  return made;
}

}  // namespace sotto
