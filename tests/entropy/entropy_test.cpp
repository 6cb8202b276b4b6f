// The operating system's randomness. It cannot be seeded: each test states its rate of false alarms.
#include "sotto/entropy/entropy.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace sotto {
namespace {

constexpr std::size_t kBlock = 1024;  // words under one key

// False alarms: 5e7 pairs of 64-bit words, so 3e-12.
TEST(SystemEntropy, no_word_comes_twice) {
  std::set<std::uint64_t> seen;
  SystemEntropy first;
  SystemEntropy second;
  for (std::size_t i = 0; i < 5 * kBlock; ++i) {
    ASSERT_TRUE(seen.insert(first.bits()).second) << i;
    ASSERT_TRUE(seen.insert(second.bits()).second) << i;
  }
}

// A key that only this process makes up would give its copy the same words. False alarms: 5e-20.
TEST(SystemEntropy, another_process_draws_other_words) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SystemEntropy entropy;
    const std::uint64_t word = entropy.bits();
    ::_exit(::write(ends[1], &word, sizeof word) == sizeof word ? 0 : 1);
  }
  std::uint64_t other = 0;
  ASSERT_EQ(::read(ends[0], &other, sizeof other), static_cast<ssize_t>(sizeof other));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::close(ends[0]);
  ::close(ends[1]);
  SystemEntropy entropy;
  EXPECT_NE(entropy.bits(), other);
}

// Six standard deviations for each of 64 bits: false alarms 1.3e-7.
TEST(SystemEntropy, every_bit_is_fair) {
  constexpr int words = 20 * static_cast<int>(kBlock);
  SystemEntropy entropy;
  int ones[64] = {};
  for (int i = 0; i < words; ++i) {
    const std::uint64_t word = entropy.bits();
    for (int bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  }
  for (const int count : ones) EXPECT_LT(std::abs(count - words / 2), 3 * std::sqrt(words));
}

// What was drawn is noise on a release: whoever reads the memory later must not find it.
TEST(SystemEntropy, a_used_word_is_forgotten) {
  SystemEntropy entropy;
  const std::uint64_t word = entropy.bits();
  unsigned char bytes[sizeof word];
  std::memcpy(bytes, &word, sizeof word);
  const auto* memory = reinterpret_cast<const unsigned char*>(&entropy);
  EXPECT_EQ(std::search(memory, memory + sizeof entropy, bytes, bytes + sizeof bytes),
            memory + sizeof entropy);
}

}  // namespace
}  // namespace sotto
