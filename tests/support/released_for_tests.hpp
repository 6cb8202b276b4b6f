// Releases with values that a test chooses.
#pragma once

#include <utility>

#include "sotto/release/released.hpp"

namespace sotto {

class ReleasedForTests {
 public:
  template <class T>
  static Released<T> make(T value) {
    return Released<T>(std::move(value));
  }
};

}  // namespace sotto
