// NOT PRIVATE: lets exact sums through, for study. Every page of a run that uses it says so.
#pragma once

#include "sotto/release/query.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

class NoNoise {
 public:
  [[nodiscard]] static Released<NoisyRatio> release_ratio(const ExactSum& sum, double grid);
  [[nodiscard]] static Released<NoisyGradient> release_gradient(const ExactSum& sum, const Position& step);
};

}  // namespace sotto
