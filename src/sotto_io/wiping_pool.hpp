// The memory in which Arrow reads rows.
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "sotto/data/wiped.hpp"

namespace sotto {

/// Memory of another pool, wiped before that has it back: also where it grows or shrinks.
/// Checked by tests/sotto_io/wiping_pool_test.cpp: gives_back_zeros
class WipingPool final : public arrow::MemoryPool {
 public:
  explicit WipingPool(arrow::MemoryPool& pool) : pool_(&pool) {}

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    return pool_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** memory) override {
    std::uint8_t* larger = nullptr;
    ARROW_RETURN_NOT_OK(pool_->Allocate(new_size, alignment, &larger));
    std::copy_n(*memory, std::min(old_size, new_size), larger);
    Free(*memory, old_size, alignment);
    *memory = larger;
    return arrow::Status::OK();
  }
  void Free(std::uint8_t* memory, std::int64_t size, std::int64_t alignment) override {
    if (size > 0) wipe(memory, static_cast<std::size_t>(size));
    pool_->Free(memory, size, alignment);
  }
  [[nodiscard]] std::int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  [[nodiscard]] std::int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  [[nodiscard]] std::int64_t num_allocations() const override { return pool_->num_allocations(); }
  [[nodiscard]] std::string backend_name() const override { return pool_->backend_name(); }

 private:
  arrow::MemoryPool* pool_;
};

}  // namespace sotto
