#include "sotto/channel/laplace.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <limits>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/channel/channel.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

static_assert(LocalChannel<DiscreteLaplaceChannel, double, double> && PureChannel<DiscreteLaplaceChannel>);
static_assert(LocalChannel<LaplaceChannel, double, double> && PureChannel<LaplaceChannel>);

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(DiscreteLaplaceChannel, privacy_on_every_pair) {
  for (const double epsilon : {0.1, 0.7, 3.0}) {
    const DiscreteLaplaceChannel channel(Grid({-1, 3}, 8), Epsilon(epsilon));
    double worst = 0;
    for (int z = -60; z <= 60; ++z) {
      for (double y = -2; y <= 4; y += 0.25) {  // also beyond the domain
        for (double other = -2; other <= 4; other += 0.25) {
          const double at = channel.grid().position(z);
          worst = std::max(worst, channel.log_density(at, y) - channel.log_density(at, other));
        }
      }
    }
    EXPECT_LE(worst, epsilon * (1 + 1e-14));
    EXPECT_GE(worst, epsilon * (1 - 1e-6));  // and the budget is used
  }
}

// Exactly: sensitivity / scale <= epsilon as rational numbers, also for epsilons no division represents.
TEST(DiscreteLaplaceChannel, scale_is_never_too_small) {
  using Rational = boost::multiprecision::cpp_rational;
  SeededEntropy random(31);
  for (int round = 0; round < 2000; ++round) {
    const double epsilon = std::exp(-12 + 20 * static_cast<double>(random.bits() >> 11) * 0x1p-53);
    const long long steps = 1 + static_cast<long long>(random.bits() % (1 << 20));
    const RationalScale scale = scale_for(steps, Epsilon(epsilon));
    const boost::multiprecision::cpp_int numerator(scale.numerator);
    ASSERT_LE(Rational(steps) * (1 << 20) / Rational(numerator), Rational(epsilon)) << epsilon;
    ASSERT_GE(Rational(steps) * (1 << 20) / Rational(numerator), Rational(epsilon * (1 - 1e-2)));
  }
}

// False-alarm rate 1e-4 per case, fixed seeds.
TEST(DiscreteLaplaceChannel, frequencies_match_the_density) {
  const DiscreteLaplaceChannel channel(Grid({-1, 3}, 8), Epsilon(2));
  const double cases[] = {-1.0, 0.3, 3.0, 7.0};
  for (const double y : cases) {
    SeededEntropy entropy(32);
    ExactNoise noise(entropy);
    const int reach = 120;
    std::vector<double> counts(2 * reach + 1);
    std::vector<double> probabilities(2 * reach + 1);
    double total = 0;
    for (int k = -reach; k <= reach; ++k) {
      total += probabilities[k + reach] = std::exp(channel.log_density(channel.grid().position(k), y));
    }
    for (double& p : probabilities) p /= total;
    for (int i = 0; i < 50'000; ++i) {
      const double k = channel.grid().steps_to(channel.release(y, noise));
      ASSERT_EQ(k, std::nearbyint(k));
      ++counts.at(static_cast<std::size_t>(k + reach));
    }
    EXPECT_GT(chi_square_p_value(counts, probabilities), 1e-4) << "y " << y;
  }
}

TEST(DiscreteLaplaceChannel, every_double_is_legal) {
  const DiscreteLaplaceChannel channel(Grid({-1, 3}), Epsilon(1));
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<double, double> pairs[] = {{kNaN, -1}, {infinity, 3}, {-infinity, -1},
                                             {1e300, 3}, {-1e300, -1},  {3.0000001, 3}};
  for (const auto& [y, as] : pairs) {
    SeededEntropy entropy_a(33);
    ExactNoise a(entropy_a);
    SeededEntropy entropy_b(33);
    ExactNoise b(entropy_b);
    EXPECT_EQ(channel.release(y, a), channel.release(as, b));
    EXPECT_EQ(channel.log_density(0.7, y), channel.log_density(0.7, as));
  }
}

TEST(DiscreteLaplaceChannel, calibrated_by_rho) {
  const DiscreteLaplaceChannel channel(Grid({0, 1}), Rho(0.5));
  EXPECT_LE(channel.guarantee().rho.value(), 0.5);
  EXPECT_NEAR(channel.epsilon(), 1, 1e-12);
}

TEST(DiscreteLaplaceChannel, refuses_bad_settings) {
  EXPECT_THROW(Grid({1, 1}), Error);
  EXPECT_THROW(Grid({2, 1}), Error);
  EXPECT_THROW(Grid({0, kNaN}), Error);
  EXPECT_THROW(Grid({-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()}), Error);
  EXPECT_THROW(Grid({1, 1 + 1e-15}), Error);
  EXPECT_THROW(Grid({0, 1}, 0), Error);
  EXPECT_THROW(DiscreteLaplaceChannel(Grid({0, 1}), Epsilon(0)), Error);
  EXPECT_THROW(DiscreteLaplaceChannel(Grid({0, 1}), Epsilon(std::numeric_limits<double>::infinity())), Error);
  EXPECT_THROW(LaplaceChannel({0, 1}, Epsilon(0)), Error);
}

TEST(LaplaceChannel, privacy_on_every_pair) {
  for (const double epsilon : {0.1, 3.0}) {
    const LaplaceChannel channel({-1, 3}, Epsilon(epsilon));
    double worst = 0;
    for (double z = -30; z <= 30; z += 0.5)
      for (double y = -2; y <= 4; y += 0.25)
        for (double other = -2; other <= 4; other += 0.25)
          worst = std::max(worst, channel.log_density(z, y) - channel.log_density(z, other));
    EXPECT_LE(worst, epsilon * (1 + 1e-14));
    EXPECT_GE(worst, epsilon * (1 - 1e-12));
  }
}

TEST(LaplaceChannel, is_the_limit_of_the_grid) {
  const LaplaceChannel limit({-1, 3}, Epsilon(1.5));
  const DiscreteLaplaceChannel grid(Grid({-1, 3}), Epsilon(1.5));
  EXPECT_NEAR(grid.scale() / limit.scale(), 1, 1e-6);
  for (const double y : {-1.0, 0.1234567, 2.9}) {
    for (const double z : {-20.0, 0.0, 0.5, 11.0}) {
      EXPECT_NEAR(grid.log_density(z, y), limit.log_density(z, y), 2e-5);
    }
  }
  // Kolmogorov's distance of the draws passes 2.23 / sqrt(draws) with probability 1e-4; fixed seed.
  ChainRng rng(34);
  const int draws = 20'000;
  std::vector<double> x(draws);
  for (double& entry : x) entry = (limit.simulate(1, rng) - 1) / limit.scale();
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (int i = 0; i < draws; ++i) {
    const double cdf = x[i] < 0 ? std::exp(x[i]) / 2 : 1 - std::exp(-x[i]) / 2;
    distance = std::max(distance, std::abs(cdf - (i + 0.5) / draws));
  }
  EXPECT_LT(distance, 2.23 / std::sqrt(draws));
}

}  // namespace
}  // namespace sotto
