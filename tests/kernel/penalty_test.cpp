#include "sotto/kernel/penalty.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

// E min(1, exp(L + X - s2/2)) for X discrete Gaussian with parameter s2 on the grid g Z, by enumeration.
double mean_acceptance(double log_ratio, double variance, double grid) {
  const auto reach = static_cast<long>(std::ceil(40 * std::sqrt(variance) / grid));
  double mass = 0;
  double mean = 0;
  for (long k = -reach; k <= reach; ++k) {
    const double x = static_cast<double>(k) * grid;
    const double p = std::exp(-x * x / (2 * variance));
    mass += p;
    mean += p * penalty_acceptance(log_ratio + x, variance);
  }
  return mean / mass;
}

double balance_error(double log_ratio, double variance, double grid) {
  const double forward = mean_acceptance(log_ratio, variance, grid);
  const double backward = std::exp(log_ratio) * mean_acceptance(-log_ratio, variance, grid);
  return std::abs(forward - backward) / forward;
}

TEST(Penalty, detailed_balance_by_enumeration) {
  for (const double grid : {1.0, 0.25, 0.03125}) {
    for (const int multiple : {1, 2, 3, 7, 20}) {
      for (const double log_ratio : {-2.3, -0.51, 0.0, 0.1, 1.7}) {
        EXPECT_LT(balance_error(log_ratio, multiple * grid, grid), 1e-12)
            << grid << ' ' << multiple << ' ' << log_ratio;
      }
    }
  }
}

TEST(Penalty, balance_fails_when_the_variance_is_off_the_grid) {
  EXPECT_GT(balance_error(0.3, 0.5, 1.0), 1e-2);
  EXPECT_GT(balance_error(0.3, 1.4, 1.0), 1e-3);
}

// A sum of independent discrete Gaussians, as several owners give, with half the sum of the variances as the correction.
TEST(Penalty, detailed_balance_for_two_owners) {
  const double grid = 0.25;
  const double v1 = 3 * grid;
  const double v2 = 2 * grid;
  const auto mean = [&](double log_ratio) {
    double mass = 0;
    double sum = 0;
    for (long i = -200; i <= 200; ++i) {
      for (long j = -200; j <= 200; ++j) {
        const double x = static_cast<double>(i) * grid;
        const double y = static_cast<double>(j) * grid;
        const double p = std::exp(-x * x / (2 * v1) - y * y / (2 * v2));
        mass += p;
        sum += p * penalty_acceptance(log_ratio + x + y, v1 + v2);
      }
    }
    return sum / mass;
  };
  for (const double log_ratio : {-1.1, 0.4, 2.0}) {
    EXPECT_NEAR(mean(log_ratio), std::exp(log_ratio) * mean(-log_ratio), 1e-12);
  }
}

TEST(Penalty, a_ratio_that_is_not_a_number_never_accepts) { EXPECT_FALSE(0.0 < penalty_acceptance(NAN, 1)); }

}  // namespace
}  // namespace sotto
