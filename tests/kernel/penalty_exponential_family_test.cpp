#include "sotto/kernel/penalty_exponential_family.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

// E min(1, exp(L + c1 X1 + c2 X2 - s2/2)) for independent discrete Gaussians on the integers with parameter
// `variance`.
double mean_acceptance(double log_ratio, double c1, double c2, int variance) {
  const double s2 = (c1 * c1 + c2 * c2) * variance;
  const int reach = static_cast<int>(std::ceil(12 * std::sqrt(variance)));
  double mass = 0;
  double mean = 0;
  for (int i = -reach; i <= reach; ++i) {
    for (int j = -reach; j <= reach; ++j) {
      const double p = std::exp(-(i * i + j * j) / (2.0 * variance));
      mass += p;
      mean += p * penalty_acceptance(log_ratio + c1 * i + c2 * j, s2);
    }
  }
  return mean / mass;
}

double balance_error(double c1, double c2, int variance) {
  double worst = 0;
  for (const double log_ratio : {-1.3, 0.2, 2.1}) {
    const double forward = mean_acceptance(log_ratio, c1, c2, variance);
    worst = std::max(
        worst, std::abs(forward / (std::exp(log_ratio) * mean_acceptance(-log_ratio, c1, c2, variance)) - 1));
  }
  return worst;
}

TEST(PenaltyExponentialFamily, balance_holds_for_weights_that_are_multiples_of_the_quantum) {
  // Variance k 2^m with k = 3, m = 3: weights are multiples of 1/8.
  EXPECT_LT(balance_error(1.0 / 8, 5.0 / 8, 24), 1e-11);
  EXPECT_LT(balance_error(-3.0 / 8, 2.0 / 8, 24), 1e-11);
}

TEST(PenaltyExponentialFamily, balance_fails_for_other_weights_on_a_coarse_grid) {
  EXPECT_GT(balance_error(0.9, 1.3, 1), 1e-4);
}

TEST(PenaltyExponentialFamily, coefficients_are_rounded_to_the_quantum) {
  const Position rounded = PenaltyExponentialFamily<>::rounded(Position{{0.3, -1.2}}, Position{{0.25, 0.5}});
  EXPECT_EQ(rounded[0], 0.25);
  EXPECT_EQ(rounded[1], -1.0);
}

}  // namespace
}  // namespace sotto
