// How well a file fits its declaration: counts for the curator's eyes. NOT PRIVATE.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sotto/data/decode.hpp"
#include "sotto/data/schema.hpp"

namespace sotto {

struct ColumnCheck {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  std::array<std::size_t, 5> cells{};  ///< by CellReading

  [[nodiscard]] std::size_t count(CellReading reading) const {
    return cells[static_cast<std::size_t>(reading)];
  }
};

/// NOT PRIVATE: every number depends on single rows.
struct TableCheck {
  std::size_t records = 0;
  std::size_t not_whole = 0;  ///< another number of cells than the header, or beyond the limits
  std::size_t used = 0;       ///< rows that contribute
  std::vector<ColumnCheck> columns;
};

/// Errors: those of read_table.
[[nodiscard]] TableCheck check_table(const std::filesystem::path& path, const Schema& schema);

}  // namespace sotto
