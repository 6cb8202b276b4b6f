#include "sotto/entropy/exact_bernoulli.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/base/int128.hpp"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;

// Words around the first 64 bits of p/q, where the doubles cannot decide, against the comparison of the whole
// fractions.
TEST(ExactBernoulli, agrees_with_the_binary_expansion) {
  SeededEntropy random(1);
  int decided_late = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t q = 1 + random.bits() % 1'000'000;
    const std::uint64_t p = random.bits() % (q + 1);
    const cpp_int expansion = (cpp_int(p) << 128) / q;
    const cpp_int first_word = expansion >> 64;
    for (int offset = -2; offset <= 2; ++offset) {
      const cpp_int first = first_word + offset;
      if (first < 0 || (first >> 64) != 0) continue;
      for (const std::uint64_t second :
           {std::uint64_t{0}, static_cast<std::uint64_t>(expansion & 0xffffffffffffffffu), random.bits(),
            ~std::uint64_t{0}}) {
        const cpp_int uniform = (first << 64) | second;
        if (uniform == expansion && (uniform * q != (cpp_int(p) << 128)))
          continue;  // a third word would decide
        const bool expected = uniform * q < (cpp_int(p) << 128);
        ScriptedEntropy words({static_cast<std::uint64_t>(first), second});
        ScriptedEntropy words_128({static_cast<std::uint64_t>(first), second});
        ScriptedEntropy words_big({static_cast<std::uint64_t>(first), second});
        ASSERT_EQ(bernoulli<std::uint64_t>(p, q, words), expected) << p << "/" << q << " offset " << offset;
        ASSERT_EQ(bernoulli<Int128>(p, q, words_128), expected);
        ASSERT_EQ(bernoulli<cpp_int>(p, q, words_big), expected);
        decided_late += words.used() == 2 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(decided_late, 100);  // the second word was really needed
}

TEST(ExactBernoulli, certain_and_impossible) {
  SeededEntropy entropy(2);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(bernoulli<std::uint64_t>(0, 7, entropy));
    EXPECT_TRUE(bernoulli<std::uint64_t>(7, 7, entropy));
    EXPECT_TRUE(bernoulli_exp<std::uint64_t>(0, 7, entropy));
  }
  ScriptedEntropy zeros(std::vector<std::uint64_t>(1, 0));
  EXPECT_FALSE(bernoulli<std::uint64_t>(0, 7, zeros));
  ScriptedEntropy ones(std::vector<std::uint64_t>(1, ~std::uint64_t{0}));
  EXPECT_TRUE(bernoulli<std::uint64_t>(7, 7, ones));
}

TEST(ExactBernoulli, uniform_below_is_uniform) {
  SeededEntropy entropy(3);
  std::vector<double> counts(11);
  std::vector<double> counts_128(11);
  for (int i = 0; i < 50'000; ++i) {
    ++counts.at(uniform_below<std::uint64_t>(11, entropy));
    // 11 equal parts of a number of 100 bits
    const Uint128 part = (Uint128{1} << 100) / 11;
    ++counts_128.at(static_cast<std::size_t>(uniform_below<Uint128>(part * 11, entropy) / part));
  }
  const std::vector<double> probabilities(11, 1.0 / 11);
  EXPECT_GT(chi_square_p_value(counts, probabilities), 1e-4);
  EXPECT_GT(chi_square_p_value(counts_128, probabilities), 1e-4);
  SeededEntropy a(4);
  SeededEntropy b(4);
  const cpp_int bound = (cpp_int(1) << 100) + 12345;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(uniform_below<cpp_int>(bound, a),
              cpp_int(uniform_below<Uint128>(static_cast<Uint128>(bound), b)));
  }
}

// Two-sided binomial test at false-alarm rate 1e-4 each, fixed seed.
TEST(ExactBernoulli, exponential_frequencies) {
  SeededEntropy entropy(5);
  const int draws = 100'000;
  const std::pair<std::uint64_t, std::uint64_t> exponents[] = {{1, 10}, {1, 2}, {1, 1},
                                                               {3, 2},  {2, 1}, {37, 10}};
  for (const auto& [p, q] : exponents) {
    const double probability = std::exp(-static_cast<double>(p) / static_cast<double>(q));
    double successes = 0;
    double successes_big = 0;
    for (int i = 0; i < draws; ++i) {
      successes += bernoulli_exp<std::uint64_t>(p, q, entropy) ? 1 : 0;
      if (i % 10 == 0) successes_big += bernoulli_exp<cpp_int>(p, q, entropy) ? 1 : 0;
    }
    const double sd = std::sqrt(draws * probability * (1 - probability));
    EXPECT_NEAR(successes, draws * probability, 3.9 * sd) << p << "/" << q;
    EXPECT_NEAR(successes_big, draws / 10.0 * probability, 3.9 * sd / std::sqrt(10)) << p << "/" << q;
  }
}

// Bounds that decide nothing force the exact path; it must spend the same bits and give the same answers.
TEST(ExactBernoulli, doubles_and_integers_agree_bit_for_bit) {
  SeededEntropy random(6);
  SeededEntropy a(7);
  SeededEntropy b(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t q = 1 + random.bits() % 1000;
    const std::uint64_t p = random.bits() % (4 * q);
    const bool quick = bernoulli_exp<std::uint64_t>(p, q, a);
    const bool slow = bernoulli_exp_lazy(
        0, 2, [&] { return std::pair<cpp_int, cpp_int>(p, q); }, b);
    ASSERT_EQ(quick, slow);
    ASSERT_EQ(a.words, b.words);
  }
}

TEST(ExactBernoulli, numbers_beyond_a_double) {
  SeededEntropy entropy(8);
  const cpp_int huge = cpp_int(1) << 2000;
  double successes = 0;
  for (int i = 0; i < 4000; ++i) {
    successes += bernoulli<cpp_int>(huge, huge * 2, entropy) ? 1 : 0;
    EXPECT_FALSE(bernoulli_exp<cpp_int>(huge * 2000, huge, entropy));
  }
  EXPECT_NEAR(successes, 2000, 3.9 * std::sqrt(1000));
}

// Above 64 bits a word fills 64 of them: no bit of the number is a copy of another.
TEST(ExactBernoulli, wide_numbers_hold_every_bit_of_their_words) {
  SeededEntropy entropy(7);
  SeededEntropy same(7);
  for (int i = 0; i < 10; ++i) {
    const Uint128 drawn = uniform_below<Uint128>(Uint128{1} << 100, entropy);
    const Uint128 high = same.bits();
    EXPECT_TRUE(drawn == ((high << 36) | (same.bits() >> 28)));
  }
}

}  // namespace
}  // namespace sotto
