// Batches of rows that nobody outside the owner may know, not even their size.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/entropy/entropy.hpp"

namespace sotto {

/// The numbers of the rows that a Poisson batch holds: each of `count` with probability exactly `rate`,
/// independently. Sixty-four rows at a time compare the bits of a uniform number with those of the rate, highest bit
/// first, until all are decided.
[[nodiscard]] inline std::vector<std::size_t> poisson_sample(std::size_t count, double rate,
                                                             EntropySource& entropy) {
  std::vector<std::uint64_t> digits;  // of the rate below 1, each as 64 equal bits
  for (double rest = rate; rate < 1 && rest > 0;) {
    rest *= 2;
    digits.push_back(rest >= 1 ? ~std::uint64_t{0} : 0);
    if (rest >= 1) rest -= 1;
  }
  std::vector<std::size_t> chosen;
  chosen.reserve(static_cast<std::size_t>(1.2 * rate * static_cast<double>(count)));
  for (std::size_t first = 0; first < count; first += 64) {
    std::uint64_t undecided = ~std::uint64_t{0};
    std::uint64_t inside = rate >= 1 ? undecided : 0;
    for (auto digit = digits.begin(); digit != digits.end() && undecided != 0; ++digit) {
      const std::uint64_t bits = entropy.bits();
      inside |= undecided & ~bits & *digit;
      undecided &= ~(bits ^ *digit);
    }
    for (; inside != 0; inside &= inside - 1) {
      const std::size_t row = first + static_cast<std::size_t>(std::countr_zero(inside));
      if (row < count) chosen.push_back(row);
    }
  }
  return chosen;
}

/// The chosen rows, weights included: one after the other, or, `in_place`, each where it was, with weight zero where none was chosen.
[[nodiscard]] inline Rows poisson_batch(const Rows& rows, double rate, EntropySource& entropy,
                                        bool in_place = false) {
  const std::vector<std::size_t> chosen = poisson_sample(rows.rows(), rate, entropy);
  Rows batch(in_place ? rows.rows() : chosen.size(), rows.columns());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::size_t place = in_place ? chosen[i] : i;
    for (std::size_t j = 0; j <= rows.columns(); ++j) batch.at(place, j) = rows.at(chosen[i], j);
  }
  return batch;
}

}  // namespace sotto
