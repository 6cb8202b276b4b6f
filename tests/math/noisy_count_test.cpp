#include "sotto/math/noisy_count.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(NoisyCount, is_a_density_with_the_moments_of_the_sum) {
  for (const double mean : {0.05, 1.0, 20.0, 3000.0}) {
    for (const double sd : {0.3, 5.0, 60.0}) {
      const double width = std::sqrt(mean + sd * sd);
      const double step = std::fmin(sd, width) / 20;
      double total = 0;
      double first = 0;
      double second = 0;
      for (double x = mean - 12 * width - 5; x <= mean + 12 * width + 15; x += step) {
        const double density = std::exp(log_noisy_count_density(x, mean, sd)) * step;
        total += density;
        first += density * (x - mean);
        second += density * (x - mean) * (x - mean);
      }
      EXPECT_NEAR(total, 1, 1e-6) << mean << " " << sd;
      EXPECT_NEAR(first / width, 0, 1e-6) << mean << " " << sd;
      EXPECT_NEAR(second / (width * width), 1, 1e-5) << mean << " " << sd;
    }
  }
}

// The skewness of such a law, and the rounding of its logarithm's large terms, are below 1e-4.
TEST(NoisyCount, is_normal_where_counts_are_many) {
  constexpr double kMean = 1e9;
  constexpr double kSd = 5;
  const double variance = kMean + kSd * kSd;
  for (const double z : {-2.0, 0.0, 1.5}) {
    EXPECT_NEAR(log_noisy_count_density(kMean + z * std::sqrt(variance), kMean, kSd),
                -z * z / 2 - std::log(2 * M_PI * variance) / 2, 1e-4);
  }
}

// Of a mean of 2 and hardly any noise, a release next to 3 is Poisson's 3.
TEST(NoisyCount, sees_single_counts_through_little_noise) {
  EXPECT_NEAR(log_noisy_count_density(3, 2, 0.05) + std::log(0.05 * std::sqrt(2 * M_PI)),
              3 * std::log(2.0) - 2 - std::lgamma(4), 1e-9);
}

}  // namespace
}  // namespace sotto
