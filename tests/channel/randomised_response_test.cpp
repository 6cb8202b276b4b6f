#include "sotto/channel/randomised_response.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/channel/channel.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

static_assert(LocalChannel<RandomisedResponseChannel, int, int> && PureChannel<RandomisedResponseChannel>);

TEST(RandomisedResponse, privacy_on_every_pair) {
  for (const double epsilon : {1e-3, 1.0, 7.3, 50.0}) {
    const RandomisedResponseChannel channel(5, Epsilon(epsilon));
    double worst = 0;
    for (int z = 0; z < 5; ++z) {
      for (int y = -1; y <= 5; ++y) {
        for (int other = -1; other <= 5; ++other) {
          worst = std::max(worst, channel.log_density(z, y) - channel.log_density(z, other));
        }
      }
    }
    EXPECT_LE(worst, epsilon);
    EXPECT_GE(worst, epsilon * (1 - 1e-6));
  }
}

// Against e^epsilon to 50 digits: from epsilon 15 on the weight has more bits than a double.
TEST(RandomisedResponse, truth_has_no_more_weight_than_epsilon_allows) {
  using boost::multiprecision::cpp_bin_float_50;
  for (int i = 1; i <= 5000; ++i) {
    const double epsilon = i * 0.01;
    const RandomisedResponseChannel channel(2, Epsilon(epsilon));
    const cpp_bin_float_50 allowed = ldexp(exp(cpp_bin_float_50(epsilon)), 32);
    const auto weight = static_cast<cpp_bin_float_50>(channel.truth_weight());
    ASSERT_LE(weight, allowed) << epsilon;
    ASSERT_GE(weight + 1, allowed * (1 - 0x1p-47)) << epsilon;
  }
}

// False-alarm rate 1e-4 per category, fixed seed.
TEST(RandomisedResponse, frequencies_match_the_density) {
  const RandomisedResponseChannel channel(4, Epsilon(1.2));
  for (int y = 0; y < 4; ++y) {
    SeededEntropy entropy(61);
    ExactNoise noise(entropy);
    std::vector<double> counts(4);
    std::vector<double> probabilities(4);
    double total = 0;
    for (int z = 0; z < 4; ++z) total += probabilities[z] = std::exp(channel.log_density(z, y));
    for (double& p : probabilities) p /= total;
    for (int i = 0; i < 50'000; ++i) ++counts.at(channel.release(y, noise));
    EXPECT_GT(chi_square_p_value(counts, probabilities), 1e-4);
  }
}

TEST(RandomisedResponse, undeclared_categories_count_as_the_first) {
  const RandomisedResponseChannel channel(3, Epsilon(1));
  SeededEntropy entropy_a(62);
  ExactNoise a(entropy_a);
  SeededEntropy entropy_b(62);
  ExactNoise b(entropy_b);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(channel.release(17, a), channel.release(0, b));
  EXPECT_THROW(RandomisedResponseChannel(1, Epsilon(1)), Error);
  EXPECT_THROW(RandomisedResponseChannel(3, Epsilon(51)), Error);
  EXPECT_THROW(RandomisedResponseChannel(3, Epsilon(0)), Error);
}

}  // namespace
}  // namespace sotto
