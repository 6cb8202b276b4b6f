#include "sotto/math/round_up.hpp"

#include <gtest/gtest.h>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

// Long double holds the sum of two doubles whose exponents are less than ten apart.
TEST(AddExactlyUp, sums_are_the_least_that_are_not_too_small) {
  ChainRng rng(7, 0);
  int exact = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a = std::ldexp(rng.uniform(), static_cast<int>(rng.below(5)));
    const double b =
        i % 4 == 0 ? std::floor(a * 64) / 64 : std::ldexp(rng.uniform(), static_cast<int>(rng.below(5)));
    const long double sum = static_cast<long double>(a) + static_cast<long double>(b);
    const double up = add_exactly_up(a, b);
    EXPECT_GE(static_cast<long double>(up), sum);
    EXPECT_LT(static_cast<long double>(std::nextafter(up, 0.0)), sum);
    exact += static_cast<long double>(up) == sum ? 1 : 0;
  }
  EXPECT_GT(exact, 1000);
  EXPECT_EQ(add_exactly_up(0.5, 0), 0.5);
  EXPECT_GT(add_exactly_up(1, 1e-300), 1);
  EXPECT_EQ(add_exactly_up(1, std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace sotto
