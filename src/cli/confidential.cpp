#include "cli/confidential.hpp"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>

#include "sotto/data/wiped.hpp"

namespace sotto::cli {

void hold_rows() {
  // A limit of zero alone would not do where the system hands dumps to a program.
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace sotto::cli

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t least = bytes > 0 ? bytes : 1;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(least)
                     : std::aligned_alloc(alignment, (least + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Cells, decoded values and what was computed from them pass through many containers; all of them end here.
void release(void* memory) noexcept {
  if (memory == nullptr) return;
  sotto::wipe(memory, ::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
