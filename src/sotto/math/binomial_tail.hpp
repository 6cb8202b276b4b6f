// How likely a binomial number is to be large.
#pragma once

#include <cstdint>

namespace sotto {

/// Probability that at least `least` of so many trials succeed, each with probability `rate`: never below the truth.
/// Computes   1 - (1 - rate)^trials for one; else p/(1 - r), p a bound on the probability of exactly `least`, r the ratio of the next
///            probability to it, which no later ratio exceeds. Up to the mean: 1
/// Source     [R55] for Stirling's formula with an error of known sign
/// Holds      trials <= 2^53. A tenth above the truth at most where that is below 1e-3, or 1e-300
/// Checked by tests/math/binomial_tail_test.cpp: is_the_sum, is_never_below_the_sum
[[nodiscard]] double binomial_tail(std::uint64_t trials, double rate, std::uint64_t least);

}  // namespace sotto
