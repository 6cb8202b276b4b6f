// Counts of many independent draws, without the draws.
#pragma once

#include <boost/random/binomial_distribution.hpp>
#include <cstddef>
#include <span>

#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Counts of draws from these cumulated weights. `counts` has shape (weights).
///
/// Computes   the count of the last weight is binomial, with its share of all; then that of the one before among the draws left
/// Checked by tests/mixture/many_rows_test.cpp: counts_are_those_of_single_draws, of_many_draws_at_once_is_that_of_the_draws
inline void draw_multinomial(std::size_t draws, std::span<const double> cumulated,
                             std::span<std::size_t> counts, ChainRng& rng) {
  using Binomial = boost::random::binomial_distribution<long long, double>;
  for (std::size_t h = cumulated.size(); h-- > 0;) {
    const bool all = h == 0 || !(cumulated[h] > 0);
    const double share = all ? 1 : 1 - cumulated[h - 1] / cumulated[h];
    counts[h] = draws == 0 || !(share > 0) ? 0
                : all                      ? draws
                      : static_cast<std::size_t>(Binomial(static_cast<long long>(draws), share)(rng));
    draws -= counts[h];
  }
}

}  // namespace sotto::mixture
