// Memory that held rows is overwritten before it is given back.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sotto {

/// Overwrites memory with zeros; the compiler cannot leave it out.
void wipe(void* memory, std::size_t bytes) noexcept;

/// std::allocator that wipes what it gives back.
template <class T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <class Other>
  WipingAllocator(const WipingAllocator<Other>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    wipe(memory, count * sizeof(T));  // NOLINT(bugprone-sizeof-expression): T may be a pointer
    std::allocator<T>().deallocate(memory, count);
  }
  template <class Other>
  friend bool operator==(const WipingAllocator&, const WipingAllocator<Other>&) {
    return true;
  }
};

template <class T>
using WipedVector = std::vector<T, WipingAllocator<T>>;

}  // namespace sotto
