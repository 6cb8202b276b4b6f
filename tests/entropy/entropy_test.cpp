// The operating system's randomness. It cannot be seeded: each test states its rate of false alarms.
#include "sotto/entropy/entropy.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <vector>

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

// The words not yet drawn too. Two words are the object's own: its type and how many were drawn.
TEST(SystemEntropy, leaves_no_word_behind) {
  constexpr std::size_t words = sizeof(SystemEntropy) / sizeof(std::uint64_t);
  const std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(sizeof(SystemEntropy)), &std::free);
  const auto words_left = [&memory] {
    std::vector<std::uint64_t> left(words);
    std::memcpy(left.data(), memory.get(), sizeof(SystemEntropy));
    return words - static_cast<std::size_t>(std::count(left.begin(), left.end(), 0u));
  };
  auto* entropy = new (memory.get()) SystemEntropy;
  (void)entropy->bits();
  EXPECT_GE(words_left(), kBlock - 1);
  entropy->~SystemEntropy();
  EXPECT_LE(words_left(), 2u);
}

/// Draws one word in a thread with this memory as its stack.
std::uint64_t draw_on(void* stack, std::size_t bytes) {
  struct Work {
    SystemEntropy entropy;
    std::uint64_t word = 0;
  };
  const auto work = std::make_unique<Work>();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, bytes), 0);
  pthread_t thread{};
  EXPECT_EQ(pthread_create(
                &thread, &attributes,
                [](void* of) -> void* {
                  auto* w = static_cast<Work*>(of);
                  volatile unsigned char room[16384] = {};  // the end of the thread overwrites less than that
                  (void)room[0];
                  w->word = w->entropy.bits();
                  return nullptr;
                },
                work.get()),
            0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
  return work->word;
}

/// How many places of the memory hold a key whose stream begins with this word.
std::size_t keys_of(std::uint64_t word, const unsigned char* memory, std::size_t bytes) {
  std::size_t found = 0;
  std::uint64_t first = 0;
  for (std::size_t i = 0; i + randombytes_SEEDBYTES <= bytes; ++i) {
    if (memory[i] == 0) continue;
    randombytes_buf_deterministic(&first, sizeof first, memory + i);
    if (first == word) ++found;
  }
  return found;
}

// From the key of a block every word of it follows, those that were drawn too. A key that begins with a zero byte would not
// be looked for: four blocks leave 2e-10 of a chance that none is.
TEST(SystemEntropy, leaves_no_key_behind) {
  constexpr std::size_t bytes = std::size_t{1} << 18;
  const std::unique_ptr<void, decltype(&std::free)> stack(std::aligned_alloc(4096, bytes), &std::free);
  auto* memory = static_cast<unsigned char*>(stack.get());
  for (int block = 0; block < 4; ++block) {
    std::memset(memory, 0, bytes);
    const std::uint64_t word = draw_on(memory, bytes);
    EXPECT_EQ(keys_of(word, memory, bytes), 0u);
  }
  std::uint64_t word = 0;
  std::memset(memory, 0, bytes);
  std::memset(memory + 1001, 7, randombytes_SEEDBYTES);
  randombytes_buf_deterministic(&word, sizeof word, memory + 1001);
  EXPECT_EQ(keys_of(word, memory, bytes), 1u) << "the search sees nothing";
}

}  // namespace
}  // namespace sotto
