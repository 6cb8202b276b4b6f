#include "sotto/math/binomial_tail.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace sotto {
namespace {

using Wide = long double;

// One probability after the other, from that of exactly `least` on.
Wide sum_of(std::uint64_t trials, double rate, std::uint64_t least) {
  const auto n = static_cast<Wide>(trials);
  const auto q = static_cast<Wide>(rate);
  auto k = static_cast<Wide>(least);
  Wide p = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) +
                    (n - k) * std::log1p(-q));
  Wide sum = 0;
  for (; k <= n && p > 1e-25L * sum; ++k) {
    sum += p;
    p *= (n - k) / (k + 1) * q / (1 - q);
  }
  return sum;
}

template <class Look>
void each_tail(const Look& look) {
  for (const std::uint64_t trials : {1, 2, 3, 10, 100, 5000}) {
    for (const double rate : {1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999}) {
      for (std::uint64_t least = 1; least <= trials; least += 1 + least / 7) {
        SCOPED_TRACE(testing::Message() << trials << " " << rate << " " << least);
        const Wide sum = sum_of(trials, rate, least);
        if (sum > 1e-290L) look(binomial_tail(trials, rate, least), sum);
      }
    }
  }
}

TEST(BinomialTail, is_never_below_the_sum) {
  each_tail([](double tail, Wide sum) { EXPECT_GE(tail, sum * (1 - 1e-14L)); });
}

TEST(BinomialTail, is_the_sum) {
  int small = 0;
  each_tail([&](double tail, Wide sum) {
    if (sum > 1e-3L) return;
    EXPECT_LE(tail, sum * 1.15L);
    ++small;
  });
  EXPECT_GT(small, 100);
}

// Where logarithms of factorials are large numbers.
TEST(BinomialTail, many_trials) {
  for (const double z : {4.0, 6.0, 12.0, 30.0}) {
    for (const double rate : {1e-6, 1e-2, 0.4}) {
      const std::uint64_t trials = 4'000'000'000;
      const double mean = 4e9 * rate;
      const auto least = static_cast<std::uint64_t>(std::ceil(mean + z * std::sqrt(mean)));
      const Wide sum = sum_of(trials, rate, least);
      if (sum < 1e-290L) continue;
      const double tail = binomial_tail(trials, rate, least);
      EXPECT_GE(tail, sum * (1 - 1e-7L)) << z << " " << rate;
      EXPECT_LE(tail, sum * 1.15L) << z << " " << rate;
    }
  }
}

TEST(BinomialTail, ends) {
  EXPECT_EQ(binomial_tail(5, 0.3, 0), 1);
  EXPECT_EQ(binomial_tail(5, 0.3, 6), 0);
  EXPECT_EQ(binomial_tail(5, 0, 1), 0);
  EXPECT_EQ(binomial_tail(5, 1, 5), 1);
  EXPECT_EQ(binomial_tail(0, 0.5, 1), 0);
  EXPECT_EQ(binomial_tail(100, 0.3, 30), 1);  // up to the mean nothing finer
  EXPECT_GT(binomial_tail(1ULL << 53, 1e-30, 4), 0);
  EXPECT_GT(binomial_tail(1000, 1e-30, 1000), 0) << "below what a double holds, but not impossible";
}

}  // namespace
}  // namespace sotto
