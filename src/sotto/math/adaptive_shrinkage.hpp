// Many values that noise was added to, most of which are next to nothing.
#pragma once

#include "sotto/base/position.hpp"

namespace sotto {

struct ShrunkNumbers {
  Position mean;      ///< of each, given all that was seen
  double doubt2 = 0;  ///< its variance, mean over the numbers
};

/// Posteriors of numbers that were seen with normal noise of standard deviation `noise`: empirical Bayes, where their distribution is
/// any mixture of normal ones about 0. Where few are large, these stay as they are and the others go.
///
/// Computes   E[x | seen] and Var[x | seen], x ~ sum_k p_k N(0, s_k^2), s_0 = 0, s_k in steps of sqrt 2, p by 200 steps of expectation and maximisation with
///            ten numbers more than there are at 0
/// Source     [Ste17]
/// Checked by tests/math/adaptive_shrinkage_test.cpp: few_large_numbers_stay, is_linear_where_numbers_are_normal
[[nodiscard]] ShrunkNumbers adaptive_shrinkage(const Position& seen, double noise);

}  // namespace sotto
