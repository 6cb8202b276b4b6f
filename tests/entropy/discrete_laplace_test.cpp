#include "sotto/entropy/discrete_laplace.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/base/int128.hpp"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;

// False-alarm rate 1e-4 per scale and type, fixed seeds.
template <class Integer>
double p_value(std::uint64_t t, std::uint64_t s, int draws, std::uint64_t seed) {
  SeededEntropy entropy(seed);
  const double ratio = static_cast<double>(s) / static_cast<double>(t);
  const int reach = 60;
  std::vector<double> counts(2 * reach + 1);
  std::vector<double> probabilities(2 * reach + 1);
  double beyond = 0;
  for (int x = -reach; x <= reach; ++x) {
    probabilities[x + reach] = std::tanh(ratio / 2) * std::exp(-std::abs(x) * ratio);
  }
  for (int i = 0; i < draws; ++i) {
    const auto x = static_cast<long>(discrete_laplace<Integer>(t, s, entropy));
    if (std::abs(x) > reach) {
      ++beyond;
    } else {
      ++counts[x + reach];
    }
  }
  return chi_square_p_value(counts, probabilities, beyond);
}

TEST(DiscreteLaplace, frequencies_match_the_formula) {
  EXPECT_GT(p_value<std::int64_t>(1, 1, 100'000, 11), 1e-4);
  EXPECT_GT(p_value<std::int64_t>(7, 2, 100'000, 12), 1e-4);
  EXPECT_GT(p_value<std::int64_t>(20, 1, 100'000, 13), 1e-4);
  EXPECT_GT(p_value<std::int64_t>(2, 5, 100'000, 14), 1e-4);
  EXPECT_GT(p_value<Int128>(7, 2, 100'000, 15), 1e-4);
  EXPECT_GT(p_value<cpp_int>(7, 2, 10'000, 16), 1e-4);
}

TEST(DiscreteLaplace, integer_types_agree) {
  SeededEntropy a(17);
  SeededEntropy b(17);
  SeededEntropy c(17);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t narrow = discrete_laplace<std::int64_t>(1'000'003, 17, a);
    ASSERT_EQ(discrete_laplace<Int128>(1'000'003, 17, b), narrow);
    ASSERT_EQ(discrete_laplace<cpp_int>(1'000'003, 17, c), narrow);
  }
}

// Mean |x| of a wide scale is t/s up to 1 / (12 t/s); its standard error is that over sqrt(draws).
TEST(DiscreteLaplace, wide_scale) {
  SeededEntropy entropy(18);
  const double scale = 0x1p70 / 3;
  double sum = 0;
  double signs = 0;
  const int draws = 40'000;
  for (int i = 0; i < draws; ++i) {
    const Int128 x = discrete_laplace<Int128>(Int128{1} << 70, 3, entropy);
    sum += std::abs(static_cast<double>(x)) / scale;
    signs += x < 0 ? -1 : 1;
  }
  EXPECT_NEAR(sum / draws, 1, 3.9 / std::sqrt(draws));
  EXPECT_NEAR(signs, 0, 3.9 * std::sqrt(draws));
}

TEST(DiscreteLaplace, refuses_a_scale_of_zero) {
  SeededEntropy entropy(19);
  EXPECT_THROW(discrete_laplace<std::int64_t>(0, 1, entropy), Error);
  EXPECT_THROW(discrete_laplace<std::int64_t>(1, 0, entropy), Error);
}

}  // namespace
}  // namespace sotto
