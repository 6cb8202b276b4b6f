#include "sotto_io/wiping_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace sotto {
namespace {

/// Of memory that is given back, whether it is all zeros.
class WatchingPool final : public arrow::ProxyMemoryPool {
 public:
  WatchingPool() : arrow::ProxyMemoryPool(arrow::system_memory_pool()) {}
  using arrow::MemoryPool::Free;
  void Free(std::uint8_t* memory, std::int64_t size, std::int64_t alignment) override {
    ++freed;
    if (std::any_of(memory, memory + size, [](std::uint8_t byte) { return byte != 0; })) ++left;
    arrow::ProxyMemoryPool::Free(memory, size, alignment);
  }
  int freed = 0;
  int left = 0;
};

TEST(WipingPool, gives_back_zeros) {
  constexpr std::int64_t kAlignment = 64;
  constexpr std::int64_t kBytes = 5000;
  for (const std::int64_t later : {3 * kBytes, kBytes / 2, kBytes}) {
    WatchingPool watched;
    WipingPool pool(watched);
    std::uint8_t* memory = nullptr;
    ASSERT_TRUE(pool.Allocate(kBytes, kAlignment, &memory).ok());
    std::memset(memory, 'r', kBytes);
    ASSERT_TRUE(pool.Reallocate(kBytes, later, kAlignment, &memory).ok());
    EXPECT_EQ(std::count(memory, memory + std::min(later, kBytes), 'r'), std::min(later, kBytes));
    std::memset(memory, 'r', static_cast<std::size_t>(later));
    pool.Free(memory, later, kAlignment);
    EXPECT_EQ(watched.freed, 2) << later;
    EXPECT_EQ(watched.left, 0) << later;
  }
}

}  // namespace
}  // namespace sotto
