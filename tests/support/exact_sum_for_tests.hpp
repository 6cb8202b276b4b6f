// Looks inside a sum, which outside of tests only a mechanism can.
#pragma once

#include <cstddef>

#include "sotto/base/int128.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

class ExactSumForTests {
 public:
  static Int128 entry(const ExactSum& sum, std::size_t i) { return sum.entries_[i]; }
};

}  // namespace sotto
