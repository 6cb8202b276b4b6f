#include "sotto/math/clipped_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/bounded_row.hpp"

namespace sotto {
namespace {

using testing_reference::count_clip;

TEST(ClippedCount, mean_and_slope_are_the_sums) {
  for (const double dispersion : {0.0, 1e-3, 0.3, 2.0}) {
    for (const double mean : {1e-3, 0.2, 1.0, 3.0, 40.0, 700.0}) {
      for (const double reach : {0.3, 1.0, 2.5, 7.0}) {
        const double sd = std::max(1.0, std::sqrt(mean + dispersion * mean * mean));
        const double low = std::max(mean - reach * sd, 0.0);
        const double high = mean + reach * sd;
        const ClippedCount clipped = clipped_count({mean, dispersion}, low, high);
        EXPECT_NEAR(clipped.mean / count_clip(mean, dispersion, low, high), 1, 1e-9)
            << mean << " " << dispersion;
        const double step = 1e-3 * std::min(mean, sd);
        const double slope = mean *
                             (count_clip(mean + step, dispersion, low, high) -
                              count_clip(mean - step, dispersion, low, high)) /
                             (2 * step);
        EXPECT_NEAR(clipped.slope, slope, 2e-5 * (mean + slope)) << mean << " " << dispersion << " " << reach;
      }
    }
  }
}

TEST(ClippedCount, large_means_are_the_sums_too) {
  for (const double z : {-5.0, -2.0, -0.5, 0.0, 1.0, 3.0}) {
    const double k = std::floor(2e4 + z * std::sqrt(2e4));
    double sum = 0;
    for (double y = 18000; y <= k; ++y) sum += std::exp(testing_reference::log_count_probability(y, 2e4, 0));
    EXPECT_NEAR(cumulative_probability({2e4, 0}, k), sum, 1e-6) << z;
  }
  for (const double dispersion : {1e-4, 0.01, 0.5, 3.0}) {
    for (const double z : {-2.0, -0.5, 0.0, 1.0, 3.0}) {
      const auto share = [&](double mean) {  // on both sides of the threshold
        return cumulative_probability({mean, dispersion},
                                      mean + std::floor(z * std::sqrt(mean + dispersion * mean * mean)));
      };
      EXPECT_NEAR(share(999999), share(1000001), 1e-3) << dispersion << " " << z;
    }
  }
}

TEST(ClippedCount, no_argument_gives_what_is_not_a_number) {
  for (const double mean : {1e-13, 1e-3, 1.0, 1e5, 1e13}) {
    for (const double dispersion : {0.0, 1e-60, 1e-5, 1.0, 1e60}) {
      for (const double reach : {1e-60, 0.1, 3.0, 1e60}) {
        const double sd = std::sqrt(mean + dispersion * mean * mean);
        const double low = std::max(mean - reach * sd, 0.0);
        const ClippedCount clipped = clipped_count({mean, dispersion}, low, mean + reach * sd);
        EXPECT_GE(clipped.mean, low);
        EXPECT_LE(clipped.mean, mean + reach * sd);
        EXPECT_GE(clipped.slope, 0);
        EXPECT_TRUE(std::isfinite(clipped.slope));
      }
    }
  }
}

}  // namespace
}  // namespace sotto
