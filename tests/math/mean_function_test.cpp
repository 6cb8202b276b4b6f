#include "sotto/math/mean_function.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

/// Trapezoid rule over nine standard deviations; derivatives by central differences of the integral in its mean.
double average(Link link, double precision, double mean, double variance) {
  const double sd = std::sqrt(variance);
  double sum = 0;
  double weight = 0;
  for (double z = -9; z <= 9; z += 1.0 / 256) {
    const double eta = mean + sd * z;
    const double w = std::exp(-z * z / 2);
    weight += w;
    sum += w * (link == Link::logit ? 1 / (1 + std::exp(-eta))
                : link == Link::log ? std::exp(eta)
                                    : precision * eta);
  }
  return sum / weight;
}

TEST(MeanFunction, moments_match_integrals_and_their_derivatives) {
  for (const Link link : {Link::logit, Link::log, Link::identity}) {
    const MeanFunction f{link, link == Link::identity ? 0.25 : 1.0};
    for (const double mean : {-3.0, 0.0, 0.7}) {
      for (const double variance : {1e-4, 0.5, 4.0}) {
        const auto h = f.moments(mean, variance);
        const double step = 1e-2;
        const auto at = [&](double k) { return average(link, f.precision, mean + k * step, variance); };
        const double scale = std::max(1.0, std::abs(h[0]));
        EXPECT_NEAR(h[0], at(0), 2e-6 * scale);
        EXPECT_NEAR(h[1], (at(1) - at(-1)) / (2 * step), 3e-5 * scale);
        EXPECT_NEAR(h[2], (at(1) - 2 * at(0) + at(-1)) / (step * step), 3e-5 * scale);
        EXPECT_NEAR(h[3], (at(2) - 2 * at(1) + 2 * at(-1) - at(-2)) / (2 * step * step * step), 2e-4 * scale);
      }
    }
  }
}

TEST(MeanFunction, wide_predictors_are_averaged_as_well) {
  const MeanFunction f{Link::logit, 1};
  for (const double mean : {-20.0, 0.5}) {
    for (const double variance : {30.0, 100.0, 3000.0}) {
      EXPECT_NEAR(f.moments(mean, variance)[0], average(Link::logit, 1, mean, variance), 1e-6);
    }
  }
}

}  // namespace
}  // namespace sotto
