// Memory that held rows is zero when it is given back. The program's own operator delete looks at it.
#include "sotto/data/wiped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/data/rows.hpp"
#include "sotto/data/table.hpp"

namespace {

// A block that a test watches, and what was seen of it when it was freed.
const void* watched = nullptr;
std::size_t watched_bytes = 0;
bool freed = false;
bool was_zero = false;

void look_and_free(void* memory) {
  if (memory != nullptr && memory == watched) {
    const auto* bytes = static_cast<const unsigned char*>(memory);
    freed = true;
    was_zero = std::all_of(bytes, bytes + watched_bytes, [](unsigned char byte) { return byte == 0; });
    watched = nullptr;
  }
  std::free(memory);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* memory = alignment == 0 ? std::malloc(bytes + 1)
                                : std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void watch(const void* memory, std::size_t bytes) {
  watched = memory;
  watched_bytes = bytes;
  freed = was_zero = false;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { look_and_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { look_and_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { look_and_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { look_and_free(memory); }

namespace sotto {
namespace {

TEST(Wiped, rows) {
  std::optional<Rows> rows(std::in_place, 20, 3);
  for (std::size_t i = 0; i < 20; ++i) rows->at(i, 1) = 0.7310585786300049;
  watch(rows->tile(0), rows->tiles() * rows->stride() * sizeof(double));
  rows.reset();
  EXPECT_TRUE(freed && was_zero);
}

// While it grows, too: the smaller block that it leaves behind.
TEST(Wiped, table) {
  std::optional<Table> table(std::in_place, Schema{{{"x", ColumnKind::real, {0, 1}}}});
  const std::array<std::optional<std::string_view>, 1> cells{"0.7310585786300049"};
  table->append(cells, std::nullopt);
  watch(table->column(0).data(), sizeof(double));
  for (int i = 0; i < 100; ++i) table->append(cells, std::nullopt);
  EXPECT_TRUE(freed && was_zero);
  watch(table->column(0).data(), 101 * sizeof(double));
  table.reset();
  EXPECT_TRUE(freed && was_zero);
}

TEST(Wiped, the_test_sees_what_is_not_wiped) {
  auto* text = new std::string(100, 'x');
  watch(text->data(), 100);
  delete text;
  EXPECT_TRUE(freed && !was_zero);
}

}  // namespace
}  // namespace sotto
