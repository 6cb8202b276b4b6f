#include "sotto/math/shortened_normal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// In one dimension E clip(Z + t) has a closed form.
double clipped_mean(double t, double bound) {
  const auto beyond = [](double distance) { return density(distance) - distance * below(-distance); };
  return t + beyond(bound + t) - beyond(bound - t);
}

TEST(ShortenedNormal, is_exact_in_one_dimension) {
  for (const double bound : {0.1, 1.0, 2.5, 6.0}) {
    const ShortenedNormal moments = shortened_normal(1, bound);
    EXPECT_NEAR(moments.slope, std::erf(bound / std::sqrt(2.0)), 1e-12);
    const double inside = std::erf(bound / std::sqrt(2.0)) - 2 * bound * density(bound);
    EXPECT_NEAR(moments.variance, inside + bound * bound * moments.share, 1e-12);
    EXPECT_NEAR(moments.share, 2 * below(-bound), 1e-12);
  }
  const ShortenedNormal whole = shortened_normal(4, std::numeric_limits<double>::infinity());
  EXPECT_EQ(whole.slope, 1);
  EXPECT_EQ(whole.variance, 1);
  EXPECT_EQ(whole.share, 0);
}

// Slope and variance against 200,000 draws, within five standard errors: four numbers, each wrong in fewer than one seed of a
// million; the seed is fixed. The slope is E f(z)_1 z_1 by Stein's lemma, as it is the derivative of the mean.
TEST(ShortenedNormal, agrees_with_simulation) {
  constexpr int kDraws = 200'000;
  for (const auto& [dim, bound] : {std::pair{3, 1.2}, std::pair{10, 3.5}}) {
    ChainRng rng(17);
    const ShortenedNormal moments = shortened_normal(dim, bound);
    double slope = 0, slope2 = 0, variance = 0, variance2 = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Position z = rng.normals(dim);
      const double f = z[0] * std::min(1.0, bound / z.norm());
      slope += f * z[0];
      slope2 += f * z[0] * f * z[0];
      variance += f * f;
      variance2 += f * f * f * f;
    }
    const auto near = [](double sum, double squares, double expected) {
      const double mean = sum / kDraws;
      EXPECT_NEAR(mean, expected, 5 * std::sqrt((squares / kDraws - mean * mean) / kDraws));
    };
    near(slope, slope2, moments.slope);
    near(variance, variance2, moments.variance);
  }
}

TEST(ShortenedNormal, is_as_straight_as_is_claimed) {
  double most = 0;
  for (const double bound : {0.05, 0.5, 1.0, 1.7, 3.0}) {
    const double slope = shortened_normal(1, bound).slope;
    for (double t = 0.01; t < 5; t += 0.01) {
      const double share = std::abs(clipped_mean(t, bound) - slope * t) / (kShortenedNormalBend * t * t * t);
      EXPECT_LE(share, 1) << bound << " " << t;
      most = std::max(most, share);
    }
  }
  EXPECT_GT(most, 0.9);  // and no straighter
}

TEST(ShortenedNormal, knows_the_length_that_a_share_passes) {
  for (const int dim : {1, 2, 10}) {
    for (const double share : {0.01, 0.5, 1e-6})
      EXPECT_NEAR(shortened_normal(dim, normal_length(dim, share)).share, share, 1e-9 * share);
  }
  EXPECT_THROW(static_cast<void>(normal_length(1, 0)), Error);
  EXPECT_THROW(static_cast<void>(shortened_normal(2, 0)), Error);
}

}  // namespace
}  // namespace sotto
