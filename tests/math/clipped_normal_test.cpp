#include "sotto/math/clipped_normal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto {
namespace {

// By the middle rule over -9 to 9, 200,000 points.
TEST(ClippedNormal, moments_are_the_integrals) {
  constexpr int kPoints = 200000;
  for (const double h : {0.3, 1.0, 2.6, 8.0}) {
    double slope = 0;
    double square = 0;
    double fourth = 0;
    for (int i = 0; i < kPoints; ++i) {
      const double z = -9 + 18 * (i + 0.5) / kPoints;
      const double weight = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) * 18 / kPoints;
      const double r = std::clamp(z, -h, h);
      slope += r == z ? weight : 0;
      square += weight * r * r;
      fourth += weight * r * r * r * r;
    }
    EXPECT_NEAR(clipped_normal(h).slope, slope, 1e-4);
    EXPECT_NEAR(clipped_normal(h).square, square, 1e-7);
    EXPECT_NEAR(clipped_normal(h).fourth, fourth, 1e-6);
  }
}

}  // namespace
}  // namespace sotto
