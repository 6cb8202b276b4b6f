// A number known between two proven bounds.
#pragma once

namespace sotto {

/// lower <= truth <= upper, floating-point error included.
struct Bounds {
  double lower = 0;
  double upper = 0;
};

}  // namespace sotto
