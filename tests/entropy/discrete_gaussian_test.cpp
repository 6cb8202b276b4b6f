#include "sotto/entropy/discrete_gaussian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/exact_bernoulli.hpp"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;

// The published algorithm with big integers only: no double decides anything.
cpp_int by_big_integers(const cpp_int& variance, EntropySource& entropy) {
  const auto coin = [&](const cpp_int& p, const cpp_int& q) {
    return bernoulli_exp_lazy(
        0, 2, [&] { return std::pair<cpp_int, cpp_int>(p, q); }, entropy);
  };
  const cpp_int t = boost::multiprecision::sqrt(variance) + 1;
  while (true) {
    cpp_int size = uniform_below(t, entropy);
    if (!coin(size, t)) continue;
    while (coin(1, 1)) size += t;
    const bool negative = (entropy.bits() >> 63) != 0;
    if (negative && size == 0) continue;
    const cpp_int difference = size * t - variance;
    if (!coin(difference * difference, 2 * variance * t * t)) continue;
    return negative ? cpp_int(-size) : size;
  }
}

// False-alarm rate 1e-4 per variance, fixed seeds.
TEST(DiscreteGaussian, frequencies_match_the_formula) {
  for (const int variance : {1, 2, 3, 4, 10, 50}) {
    SeededEntropy entropy(100 + variance);
    const DiscreteGaussian noise(variance);
    const int reach = 60;
    std::vector<double> counts(2 * reach + 1);
    std::vector<double> probabilities(2 * reach + 1);
    double total = 0;
    for (int x = -reach; x <= reach; ++x)
      total += probabilities[x + reach] = std::exp(-x * x / (2.0 * variance));
    for (double& p : probabilities) p /= total;
    for (int i = 0; i < 200'000; ++i) ++counts.at(static_cast<std::size_t>(noise(entropy) + reach));
    EXPECT_GT(chi_square_p_value(counts, probabilities), 1e-4) << "variance " << variance;
  }
}

TEST(DiscreteGaussian, bounds_agree_with_big_integers) {
  const cpp_int variances[] = {
      1, 2, 9, 1000, (cpp_int(1) << 40) + 1, cpp_int(1) << 90, (cpp_int(1) << 97) - 3, cpp_int(1) << 104};
  for (const cpp_int& variance : variances) {
    SeededEntropy a(21);
    SeededEntropy b(21);
    const DiscreteGaussian noise(variance);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(cpp_int(noise(a)), by_big_integers(variance, b)) << "variance " << variance;
      ASSERT_EQ(a.words, b.words);
    }
  }
}

// Plays the given words first.
class ScriptedStart final : public EntropySource {
 public:
  ScriptedStart(std::vector<std::uint64_t> script, std::uint64_t seed)
      : script_(std::move(script)), rest_(seed) {}
  std::uint64_t bits() override { return used_ < script_.size() ? script_[used_++] : rest_.bits(); }
  [[nodiscard]] std::string name() const override { return "scripted test bits"; }
  [[nodiscard]] std::size_t words() const { return used_ + rest_.words; }

 private:
  std::vector<std::uint64_t> script_;
  std::size_t used_ = 0;
  SeededEntropy rest_;
};

// Words that propose `size` + `scales` t, and lead to the last coin of its acceptance, whose probability is the fraction of the
// exponent, p / q.
std::vector<std::uint64_t> words_up_to_the_last_coin(std::uint64_t t, std::uint64_t size, int scales,
                                                     const cpp_int& whole) {
  constexpr std::uint64_t kHigh = ~std::uint64_t{0};  // a coin that fails
  std::vector<std::uint64_t> words{size << (64 - std::bit_width(t - 1)), kHigh};
  for (int i = 0; i < scales; ++i) words.insert(words.end(), {0, 0, kHigh, kHigh});  // e^-1, and nothing left
  words.insert(words.end(), {0, kHigh});                                             // not e^-1
  words.push_back(0);                                                                // not negative
  for (cpp_int i = 0; i < whole; ++i) words.insert(words.end(), {0, 0, kHigh});
  return words;
}

// Far out the exponent is in the hundreds, and a double of it is off by more than the coins' own rounding. Words right below and right
// above the fraction of the exponent, between which the double may lie on either side: the one rejects, the other keeps.
TEST(DiscreteGaussian, integers_decide_what_a_double_cannot) {
  SeededEntropy random(23);
  for (const cpp_int& variance :
       {(cpp_int(1) << 40) + 1, (cpp_int(1) << 90) + 12345, (cpp_int(1) << 104) - 3}) {
    const cpp_int t = boost::multiprecision::sqrt(variance) + 1;
    const DiscreteGaussian noise(variance);
    for (int round = 0; round < 100; ++round) {
      const auto size = static_cast<std::uint64_t>(1 + uniform_below(cpp_int(t - 1), random));
      const int scales = 20 + round % 30;
      const cpp_int proposed = size + scales * t;
      const cpp_int difference = proposed * t - variance;
      const cpp_int p = difference * difference;
      const cpp_int q = 2 * variance * t * t;
      const auto first_word = static_cast<std::uint64_t>((p % q << 64) / q);
      for (const bool below : {true, false}) {
        auto words = words_up_to_the_last_coin(static_cast<std::uint64_t>(t), size, scales, p / q);
        words.push_back(first_word + (below ? -1 : 1));
        if (below) words.push_back(~std::uint64_t{0});  // the coin of half the probability fails: rejected
        ScriptedStart a(words, 24);
        ScriptedStart b(words, 24);
        const cpp_int drawn(noise(a));
        ASSERT_EQ(drawn == proposed, !below) << "variance " << variance << ", size " << proposed;
        ASSERT_EQ(drawn, by_big_integers(variance, b));
        ASSERT_EQ(a.words(), b.words());
      }
    }
  }
}

// With sigma = 2^45 the discrete and the continuous Gaussian differ by less than e^-(2 pi^2 sigma^2).
// Kolmogorov's distance passes 2.23 / sqrt(draws) with probability 1e-4; the moments are tested at 3.9
// standard errors (1e-4 each).
TEST(DiscreteGaussian, huge_variance_is_normal) {
  SeededEntropy entropy(22);
  const DiscreteGaussian noise(cpp_int(1) << 90);
  const int draws = 100'000;
  std::vector<double> x(draws);
  double moments[5] = {};
  double even = 0;
  for (double& entry : x) {
    const Int128 drawn = noise(entropy);
    even += (drawn & 1) == 0 ? 1 : 0;
    entry = static_cast<double>(drawn) * 0x1p-45;
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(entry, k) / draws;
  }
  const double root = std::sqrt(draws);
  EXPECT_NEAR(moments[1], 0, 3.9 / root);
  EXPECT_NEAR(moments[2], 1, 3.9 * std::sqrt(2) / root);
  EXPECT_NEAR(moments[3], 0, 3.9 * std::sqrt(15) / root);
  EXPECT_NEAR(moments[4], 3, 3.9 * std::sqrt(96) / root);
  EXPECT_NEAR(even, draws / 2.0, 3.9 * root / 2);  // the lowest bit is noise too
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (int i = 0; i < draws; ++i) {
    const double cdf = std::erfc(-x[i] / std::sqrt(2)) / 2;
    distance = std::max(
        {distance, cdf - i / static_cast<double>(draws), (i + 1) / static_cast<double>(draws) - cdf});
  }
  EXPECT_LT(distance, 2.23 / root);
}

TEST(DiscreteGaussian, refuses_variances_out_of_range) {
  EXPECT_THROW(DiscreteGaussian(0), Error);
  EXPECT_THROW(DiscreteGaussian(-4), Error);
  EXPECT_THROW(DiscreteGaussian((cpp_int(1) << 104) + 1), Error);
}

}  // namespace
}  // namespace sotto
