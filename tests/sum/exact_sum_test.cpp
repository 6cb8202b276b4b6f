#include "sotto/sum/exact_sum.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/exact_sum_for_tests.hpp"

namespace sotto {

namespace {

TEST(ExactSum, same_bits_for_any_number_of_threads) {
  const auto add = [](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
    for (std::size_t t = first; t < first + count; ++t) {
      sums[0] += static_cast<std::int64_t>(t * 0x9e3779b97f4a7c15u >> 20) - (std::int64_t{1} << 43);
      sums[1] += 1;
    }
  };
  const ExactSum one = sum_tiles(100'003, 512, 2, 1, add);
  EXPECT_EQ(ExactSumForTests::entry(one, 1), 100'003);
  for (const int threads : {2, 3, 5}) {
    const ExactSum many = sum_tiles(100'003, 512, 2, threads, add);
    EXPECT_TRUE(ExactSumForTests::entry(one, 0) == ExactSumForTests::entry(many, 0)) << threads;
    EXPECT_TRUE(ExactSumForTests::entry(one, 1) == ExactSumForTests::entry(many, 1)) << threads;
  }
}

// Units stand within runs.
TEST(ExactSum, runs_begin_at_their_multiples) {
  constexpr std::size_t kTiles = 100'003;
  for (const int threads : {1, 3}) {
    const ExactSum sum = sum_tiles(
        kTiles, 512, 2, threads, [](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
          sums[0] += first % 512 == 0 && (count == 512 || first + count == kTiles) ? 0 : 1;
          sums[1] += static_cast<std::int64_t>(count);
        });
    EXPECT_TRUE(ExactSumForTests::entry(sum, 0) == 0) << threads;
    EXPECT_TRUE(ExactSumForTests::entry(sum, 1) == kTiles) << threads;
  }
}

TEST(ExactSum, does_not_overflow_64_bits) {
  const auto add = [](std::size_t, std::size_t, std::span<std::int64_t> sums) {
    sums[0] += std::numeric_limits<std::int64_t>::max() / 2;
  };
  const ExactSum sum = sum_tiles(1000, 1, 1, 2, add);
  EXPECT_TRUE(ExactSumForTests::entry(sum, 0) == Int128{std::numeric_limits<std::int64_t>::max() / 2} * 1000);
}

TEST(ExactSum, a_part_is_one_querys_share) {
  const auto add = [](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<std::int64_t>(count * i);
    static_cast<void>(first);
  };
  const ExactSum part = sum_tiles(10, 3, 6, 1, add).part(4, 2);
  ASSERT_EQ(part.size(), 2u);
  EXPECT_TRUE(ExactSumForTests::entry(part, 1) == 50);
}

TEST(ExactSum, no_rows_sum_to_zero) {
  const ExactSum sum =
      sum_tiles(0, 512, 1, 2, [](std::size_t, std::size_t, std::span<std::int64_t> sums) { sums[0] = 1; });
  EXPECT_TRUE(ExactSumForTests::entry(sum, 0) == 0);
}

}  // namespace
}  // namespace sotto
