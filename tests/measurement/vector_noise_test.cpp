#include "sotto/measurement/vector_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(VectorNoise, refuses_bounds_that_do_not_fit) {
  EXPECT_FALSE(vector_noise({HUGE_VAL, HUGE_VAL}, 3, {}, Rho(1)));
  EXPECT_FALSE(vector_noise({NAN, NAN}, 3, {}, Rho(1)));
}

}  // namespace
}  // namespace sotto
