#include "sotto/accountant/gaussian.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(Gaussian, delta_matches_published_values) {
  EXPECT_NEAR(gaussian_delta(Rho(0.5), Epsilon(1)).value(), 0.12693674, 1e-7);
  EXPECT_NEAR(gaussian_delta(Rho(4.5), Epsilon(1)).value(), 0.78760074, 1e-7);
  EXPECT_NEAR(gaussian_delta(Rho(0.005), Epsilon(0.1)).value(), 0.00875176814581, 1e-10);
}

TEST(Gaussian, inverses_agree) {
  for (const double rho : {1e-4, 0.03, 1.0, 40.0}) {
    for (const double delta : {1e-12, 1e-6, 1e-2}) {
      const Epsilon epsilon = gaussian_epsilon(Rho(rho), Delta(delta));
      EXPECT_LE(gaussian_delta(Rho(rho), epsilon).value(), delta);
      if (epsilon.value() > 0) {
        EXPECT_NEAR(gaussian_rho(epsilon, Delta(delta)).value() / rho, 1, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace sotto
