// The longest step that a bound on each step allows, found from public things before the first is taken.
#pragma once

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/proposal/proposal.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Right for a normal target without noise [RGG97].
[[nodiscard]] inline double usual_step(const Position& at) {
  return 2.4 / std::sqrt(static_cast<double>(at.size()));
}

/// The longest step, up to the usual one, for which the mean of `figure` over some proposals from `at` is at most `most`;
/// `figure` grows with the length. Errors: budget when no step is that short.
/// Checked by tests/run/pilot_test.cpp: barker_ends_with_the_draws_that_were_asked_for
template <Proposal Walk, class Figure>
[[nodiscard]] double longest_step(const Position& at, const Walk& walk, double most, const Figure& figure) {
  constexpr int kProposals = 200;
  const auto fits = [&](double size) {
    ChainRng rng(1);
    double sum = 0;
    for (int i = 0; i < kProposals; ++i) sum += figure(walk.propose(at, size, rng)) / kProposals;
    return sum <= most;
  };
  double high = usual_step(at);
  if (fits(high)) return high;
  const double least = high * 1e-12;
  double low = high;
  while (!fits(low) && low > least) low /= 2;
  if (!fits(low)) {
    throw Error(ErrorCode::budget,
                "the budget pays for no step of any length: take fewer steps or a larger epsilon");
  }
  while (high > low * 1.001) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace sotto
