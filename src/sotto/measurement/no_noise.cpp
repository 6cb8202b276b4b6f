#include "sotto/measurement/no_noise.hpp"

namespace sotto {

Released<NoisyRatio> NoNoise::release_ratio(const ExactSum& sum, double grid) {
  return Released(NoisyRatio{static_cast<double>(sum.entries_[0]) * grid, 0});
}

Released<NoisyGradient> NoNoise::release_gradient(const ExactSum& sum, const Position& step) {
  NoisyGradient gradient{Position(step.size()), Position::Zero(step.size())};
  for (Eigen::Index j = 0; j < step.size(); ++j) {
    gradient.value[j] = static_cast<double>(sum.entries_[static_cast<std::size_t>(j)]) * step[j];
  }
  return Released(gradient);
}

}  // namespace sotto
