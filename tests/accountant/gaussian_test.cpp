#include "sotto/accountant/zcdp/gaussian.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/mpfr.hpp>

namespace sotto {
namespace {

using Big = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<60>>;

TEST(Gaussian, delta_matches_published_values) {
  EXPECT_NEAR(gaussian_delta(Rho(0.5), Epsilon(1)).value(), 0.12693674, 1e-7);
  EXPECT_NEAR(gaussian_delta(Rho(4.5), Epsilon(1)).value(), 0.78760074, 1e-7);
  EXPECT_NEAR(gaussian_delta(Rho(0.005), Epsilon(0.1)).value(), 0.00875176814581, 1e-10);
}

// erfc by its continued fraction for large arguments, by the library's series else; 60 digits.
Big wide_erfc(const Big& x) {
  if (x < 5) return boost::math::erfc(x);
  Big tail = 0;
  for (int k = 2000; k >= 1; --k) tail = Big(k) / 2 / (x + tail);
  return exp(-x * x) / (sqrt(boost::math::constants::pi<Big>()) * (x + tail));
}

TEST(Gaussian, delta_is_right_down_to_the_smallest_numbers) {
  for (const double rho : {1e-10, 1e-6, 1e-3, 0.1, 2.0, 60.0, 900.0}) {
    for (const double z : {-3.0, 0.0, 0.5, 4.0, 12.0, 25.0, 36.5}) {
      const double epsilon = rho + z * std::sqrt(2 * rho);
      if (epsilon < 0) continue;
      const Big m(rho);
      const Big e(epsilon);
      const Big root = 2 * sqrt(m);
      const Big truth = (wide_erfc((e - m) / root) - exp(e) * wide_erfc((e + m) / root)) / 2;
      const Bounds bounds = gaussian_delta_bounds(Rho(rho), Epsilon(epsilon));
      SCOPED_TRACE(testing::Message() << "rho " << rho << " z " << z);
      EXPECT_LE(Big(bounds.lower), truth);
      EXPECT_GE(Big(bounds.upper), truth);
      if (truth > 1e-297) {
        EXPECT_LE(bounds.upper - bounds.lower, 1e-8 * bounds.upper);
      }
    }
  }
}

TEST(Gaussian, inverses_agree) {
  for (const double rho : {1e-4, 0.03, 1.0, 40.0}) {
    for (const double delta : {1e-280, 1e-12, 1e-6, 1e-2}) {
      const Epsilon epsilon = gaussian_epsilon(Rho(rho), Delta(delta));
      EXPECT_LE(gaussian_delta(Rho(rho), epsilon).value(), delta);
      if (epsilon.value() > 0) {
        EXPECT_NEAR(gaussian_rho(epsilon, Delta(delta)).value() / rho, 1, 1e-9);
      }
    }
  }
}

// The largest cost that fits does fit, to the last place.
TEST(Gaussian, a_budget_never_passes_its_epsilon) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 3.7, 30.0}) {
    for (const double delta : {1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.1}) {
      const Rho rho = gaussian_rho(Epsilon(epsilon), Delta(delta));
      EXPECT_LE(gaussian_delta(rho, Epsilon(epsilon)).value(), delta);
      EXPECT_GT(gaussian_delta(Rho(rho.value() * (1 + 1e-9)), Epsilon(epsilon)).value(), delta);
    }
  }
}

TEST(Gaussian, edges) {
  EXPECT_EQ(gaussian_epsilon(Rho(0), Delta(0)).value(), 0);
  EXPECT_TRUE(std::isinf(gaussian_epsilon(Rho(1), Delta(0)).value()));
  EXPECT_EQ(gaussian_epsilon(Rho(1), Delta(1)).value(), 0);
  EXPECT_EQ(gaussian_delta(Rho(HUGE_VAL), Epsilon(1)).value(), 1);
  EXPECT_GT(gaussian_delta(Rho(1e-12), Epsilon(1)).value(), 0);
}

}  // namespace
}  // namespace sotto
