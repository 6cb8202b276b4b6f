// What clips take off a score.
#pragma once

#include "sotto/base/position.hpp"

namespace sotto {

/// Mean and covariance, in the frame's coordinates, of what the clip took off the score: to be put back. Of several clips, one
/// below another.
struct TakenOff {
  Position mean;
  Matrix covariance;
};

}  // namespace sotto
