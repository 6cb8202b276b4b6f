// Two-sided geometric noise with a rational scale, sampled exactly.
#pragma once

#include <cstdint>

#include "sotto/base/error.hpp"
#include "sotto/entropy/exact_bernoulli.hpp"

namespace sotto {

/// The absolute value of a discrete Laplace number of integer scale t before the sign is drawn: P(x) = (1 -
/// e^(-1/t)) e^(-x/t).
///
/// Computes   x = u + t v, u below t kept with probability e^(-u/t), v the number of successes of coins e^-1
/// Source     [CKS20, Algorithm 2]
/// Holds when 64 t and t v fit in Integer; v passes 100 with probability e^-100
template <class Integer>
Integer geometric(const Integer& t, EntropySource& entropy) {
  Integer u = 0;
  do {
    u = uniform_below(t, entropy);
  } while (!bernoulli_exp(u, t, entropy));
  Integer x = u;
  while (bernoulli_exp<std::uint64_t>(1, 1, entropy)) x += t;
  return x;
}

/// An integer with P(y) proportional to exp(-|y| s / t): discrete Laplace noise of scale t / s, exactly.
///
/// Computes   floor(x / s) of a geometric x of scale t, with a fair sign, minus zero rejected
/// Source     [CKS20, Algorithm 2 and Proposition 24]
/// Holds when t, s >= 1 and Integer is signed, with room for 64 t; errors: configuration when t or s < 1
/// Checked by tests/entropy/discrete_laplace_test.cpp: frequencies_match_the_formula
template <class Integer>
Integer discrete_laplace(const Integer& t, const Integer& s, EntropySource& entropy) {
  if (t < 1 || s < 1)
    throw Error(ErrorCode::configuration,
                "the scale of discrete Laplace noise must be a ratio of integers >= 1");
  while (true) {
    const Integer size = geometric(t, entropy) / s;
    const bool negative = (entropy.bits() >> 63) != 0;
    if (negative && size == 0) continue;  // zero has one sign only
    return negative ? Integer(-size) : size;
  }
}

}  // namespace sotto
