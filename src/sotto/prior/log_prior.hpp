// The prior: public, so both sides of the wall may know it.
#pragma once

#include <functional>

#include "sotto/base/position.hpp"

namespace sotto {

/// A log density up to a constant, and its gradient.
struct LogPrior {
  std::function<double(const Position&)> log_density;
  std::function<Position(const Position&)> gradient;
};

}  // namespace sotto
