#include "sotto/math/count_effect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

struct Simulated {
  double below, clipped;
};

/// P(Y <= edge) and E min(Y, edge) of Poisson counts with log-normal effects of mean 1, by 4,001 steps of the effect.
Simulated summed(double sd, double mean, double edge) {
  Simulated sum{0, 0};
  double weights = 0;
  for (int i = -2000; i <= 2000; ++i) {
    const double z = i * 0.004 + sd;  // around what the mean weighs most
    const double weight = std::exp(-z * z / 2);
    const CountLaw law{mean * std::exp(sd * z - sd * sd / 2)};
    weights += weight;
    sum.below += weight * cumulative_probability(law, edge);
    sum.clipped += weight * clipped_count(law, 0, edge).mean;
  }
  return {sum.below / weights, sum.clipped / weights};
}

/// The parts of an effect's law against sums over it.
template <class Summed>
void expect_parts_make_up(const CountEffect& effect, double error, const Summed& summed) {
  const auto parts = parts_of(effect);
  double shares = 0;
  double factors = 0;
  for (const CountPart& part : parts) {
    shares += part.share;
    factors += part.share * part.factor;
  }
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_NEAR(factors, 1, 1e-12);
  for (const double mean : {0.3, 2.0, 40.0}) {
    for (const double times : {0.5, 1.0, 3.0, 10.0}) {
      const double edge = std::max(std::floor(times * mean), 1.0);
      const Simulated sum = summed(mean, edge);
      EXPECT_NEAR(cumulative_probability(parts, mean, edge), sum.below, error) << mean << ' ' << edge;
      EXPECT_NEAR(clipped_mean(parts, mean, 0, edge) / mean, sum.clipped / mean, error)
          << mean << ' ' << edge;
    }
  }
}

/// The same with Weibull effects of mean 1, by 20,000 quantiles.
Simulated summed_weibull(double shape, double mean, double edge) {
  constexpr int kQuantiles = 20000;
  Simulated sum{0, 0};
  for (int i = 0; i < kQuantiles; ++i) {
    const double effect = std::pow(-std::log((i + 0.5) / kQuantiles), 1 / shape) / std::tgamma(1 + 1 / shape);
    const CountLaw law{mean * effect};
    sum.below += cumulative_probability(law, edge) / kQuantiles;
    sum.clipped += clipped_count(law, 0, edge).mean / kQuantiles;
  }
  return sum;
}

TEST(CountEffect, parts_of_log_normal_effects_make_up_simulated_counts) {
  for (const double sd : {0.4, 0.8, 1.3, 2.0}) {
    SCOPED_TRACE(sd);
    expect_parts_make_up({.log_sd = sd}, 0.007,
                         [sd](double mean, double edge) { return summed(sd, mean, edge); });
  }
}

TEST(CountEffect, parts_of_weibull_effects_make_up_simulated_counts) {
  for (const double shape : {0.4, 0.6, 0.9}) {
    SCOPED_TRACE(shape);
    expect_parts_make_up({.weibull_shape = shape}, 0.002,
                         [shape](double mean, double edge) { return summed_weibull(shape, mean, edge); });
  }
}

TEST(CountEffect, gamma_effects_are_one_part) {
  const auto parts = parts_of({.dispersion = 0.7});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(cumulative_probability(parts, 3, 4), cumulative_probability(CountLaw{3, 0.7}, 4));
  EXPECT_EQ(clipped_mean(parts, 3, 1, 5), clipped_count({3, 0.7}, 1, 5).mean);
}

}  // namespace
}  // namespace sotto
