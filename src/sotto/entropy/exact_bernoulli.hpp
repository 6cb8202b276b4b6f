// Coins whose probability is exact: rational numbers and exponentials of rational numbers, by integer
// arithmetic.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sotto/entropy/entropy_source.hpp"

namespace sotto {

/// A uniform number below `bound` > 0, exactly, for any integer type with shifts (64 and 128 bits, boost's
/// cpp_int).
template <class Integer>
Integer uniform_below(const Integer& bound, EntropySource& entropy) {
  Integer rest = bound - 1;
  int length = 0;  // of the largest value, in bits
  for (; rest >> 32 != 0; rest >>= 32) length += 32;
  length += static_cast<int>(std::bit_width(static_cast<std::uint32_t>(rest)));
  while (true) {
    Integer value = 0;
    for (int left = length; left > 0; left -= 64) {
      const int take = left < 64 ? left : 64;
      const std::uint64_t word = entropy.bits() >> (64 - take);
      if (take < 64) {
        value <<= take;
        value += word;
      } else {
        value <<= 32;  // in halves, because a shift by the whole width of a 64-bit type is undefined
        value += word >> 32;
        value <<= 32;
        value += word & 0xffffffffu;
      }
    }
    if (value < bound) return value;
  }
}

/// True with probability exactly p / q (0 <= p <= q, q > 0): compares a uniform number with the binary
/// expansion of p / q.
///
/// Computes   [U < p/q], where the first 64 bits of U nearly always decide against `approximate` +- `error`;
///            only when they do not (probability about 2 error) is `exact()` asked for {p, q} and p / q
///            expanded, bit by bit
/// Holds when |approximate - p/q| <= error, and 2 q fits in Integer
/// Checked by tests/entropy/exact_bernoulli_test.cpp: agrees_with_the_binary_expansion
template <class Exact>
bool bernoulli_lazy(double approximate, double error, const Exact& exact, EntropySource& entropy) {
  std::uint64_t word = entropy.bits();
  const double uniform = static_cast<double>(word) * 0x1p-64;
  constexpr double rounding = 0x1p-50;  // of `uniform`, of the bits that follow, and of the two comparisons
  if (uniform + rounding < approximate - error) return true;
  if (uniform - rounding > approximate + error) return false;
  auto [p, q] = exact();
  if (p >= q) return true;
  while (p != 0) {
    for (int bit = 63; bit >= 0; --bit) {
      p += p;
      const bool one = p >= q;
      if (one) p -= q;
      const bool drawn = ((word >> bit) & 1u) != 0;
      if (one != drawn)
        return one;  // the first bit in which they differ decides: U < p/q when U has the zero
    }
    word = entropy.bits();
  }
  return false;  // p/q has ended and U has agreed so far: U >= p/q
}

/// True with probability exactly p / q (0 <= p <= q, q > 0, 2 q fits in Integer).
template <class Integer>
bool bernoulli(const Integer& p, const Integer& q, EntropySource& entropy) {
  const double ratio = static_cast<double>(p) / static_cast<double>(q);
  const double error = std::isfinite(ratio) ? 0x1p-48 : 2;  // too large for a double: never decided early
  return bernoulli_lazy(
      std::isfinite(ratio) ? ratio : 0, error, [&] { return std::pair<Integer, Integer>(p, q); }, entropy);
}

/// True with probability exactly exp(-g) for 0 <= g <= 1, g = p / q known as in `bernoulli_lazy`.
///
/// Computes   the parity of the first k for which a coin of probability g / k fails: P(odd) = sum_k (-g)^k / k!
/// Source     [CKS20, Algorithm 1]
/// Holds when 2 q k fits in Integer for the few k that occur; k passes 30 with probability below 2^-100
/// Checked by tests/entropy/exact_bernoulli_test.cpp: exponential_frequencies
template <class Exact>
bool bernoulli_exp_fraction(double approximate, double error, const Exact& exact, EntropySource& entropy) {
  for (int k = 1;; ++k) {
    const auto over_k = [&] {
      auto [p, q] = exact();
      q *= k;
      return std::pair(p, q);
    };
    if (!bernoulli_lazy(approximate / k, error / k + 0x1p-50, over_k, entropy)) return k % 2 == 1;
  }
}

/// True with probability exactly exp(-g) for any rational g = p / q >= 0 known as in `bernoulli_lazy`.
template <class Exact>
bool bernoulli_exp_lazy(double approximate, double error, const Exact& exact, EntropySource& entropy) {
  const auto one = [] { return std::pair<std::uint64_t, std::uint64_t>(1, 1); };
  double whole = std::floor(approximate - error);
  if (whole >= 0 && whole == std::floor(approximate + error) && whole < 0x1p40) {
    // exp(-g) = exp(-1)^whole exp(-(g - whole)); the first failure ends the loop, after 1.6 coins on average.
    for (auto left = static_cast<std::uint64_t>(whole); left > 0; --left) {
      if (!bernoulli_exp_fraction(1, 0, one, entropy)) return false;
    }
    const auto fraction = [&] {
      auto [p, q] = exact();
      p %= q;
      return std::pair(p, q);
    };
    return bernoulli_exp_fraction(approximate - whole, error + approximate * 0x1p-52, fraction, entropy);
  }
  auto rest = exact();
  while (rest.first >= rest.second) {
    if (!bernoulli_exp_fraction(1, 0, one, entropy)) return false;
    rest.first -= rest.second;
  }
  const double ratio = static_cast<double>(rest.first) / static_cast<double>(rest.second);
  const bool usable = std::isfinite(ratio);
  return bernoulli_exp_fraction(
      usable ? ratio : 0.5, usable ? 0x1p-48 : 2, [&] { return rest; }, entropy);
}

/// True with probability exactly exp(-p / q) (p >= 0, q > 0; 64 q fits in Integer).
template <class Integer>
bool bernoulli_exp(const Integer& p, const Integer& q, EntropySource& entropy) {
  const double ratio = static_cast<double>(p) / static_cast<double>(q);
  // An unusable ratio gives an interval without a floor: the exact path.
  const bool usable = std::isfinite(ratio);
  return bernoulli_exp_lazy(
      usable ? ratio : 0, usable ? ratio * 0x1p-48 : 2, [&] { return std::pair<Integer, Integer>(p, q); },
      entropy);
}

}  // namespace sotto
