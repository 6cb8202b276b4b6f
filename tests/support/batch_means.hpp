// The error of an average over a chain.
#pragma once

#include <cmath>

#include "sotto/base/position.hpp"

namespace sotto {

/// Batch means: the standard error of the mean of a column, from 50 batches.
inline double standard_error(const Position& x) {
  const Eigen::Index batch = x.size() / 50;
  Position means(50);
  for (Eigen::Index b = 0; b < 50; ++b) means[b] = x.segment(b * batch, batch).mean();
  return std::sqrt((means.array() - means.mean()).square().sum() / 49 / 50);
}

}  // namespace sotto
