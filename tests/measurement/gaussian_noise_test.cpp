#include "sotto/measurement/gaussian_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(GaussianNoise, cost_matches_formula) {
  GaussianNoise noise;
  noise.sensitivity = 300;
  noise.variance = 45000;
  noise.entries = 4;
  const Charge charge = noise.charge("test");
  EXPECT_GE(charge.rho.value(), 1.0);
  EXPECT_NEAR(charge.rho.value(), 1.0, 1e-13);
  EXPECT_NEAR(charge.slack, 300.0 * 2 / 45000, 1e-15);
}

// Half of all quotients of doubles are rounded down; long double knows them a thousand times better.
TEST(GaussianNoise, costs_are_never_rounded_down) {
  for (int k = 1; k <= 300; ++k) {
    GaussianNoise noise;
    noise.sensitivity = 3 * k + 1;
    noise.variance = 1000 + 77 * k;
    noise.entries = static_cast<std::size_t>(k);
    const long double sensitivity = noise.sensitivity;
    const long double variance = 1000 + 77 * k;
    const Charge charge = noise.charge("test");
    EXPECT_GE(charge.rho.value(), sensitivity * sensitivity / (2 * variance)) << k;
    EXPECT_GE(charge.slack, sensitivity * std::sqrt(static_cast<long double>(k)) / variance) << k;
  }
}

TEST(GaussianNoise, variance_never_costs_more_than_asked) {
  for (const double sensitivity : {32.0, 1e5, 3.3e12}) {
    for (const double cost : {1e-5, 0.03, 7.0}) {
      for (const int shift : {0, 40}) {
        const GaussianNoise::Integer multiple = GaussianNoise::Integer(1) << shift;
        GaussianNoise noise;
        noise.sensitivity = sensitivity;
        noise.variance = GaussianNoise::variance_for(sensitivity, Rho(cost), multiple).value();
        EXPECT_LE(noise.charge("test").rho.value(), cost);
        EXPECT_EQ(noise.variance % multiple, 0);
      }
    }
  }
}

}  // namespace
}  // namespace sotto
