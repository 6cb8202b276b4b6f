// Synthetic rows of the examples.
#pragma once

#include <cstddef>
#include <random>

#include "sotto/data/rows.hpp"

namespace example {

inline constexpr std::size_t kRows = 40000;

/// (1, x, y): y = 1 - 2 x + error for x = -1 or 1, one row in twenty far out.
inline sotto::Rows simulated_rows() {
  sotto::Rows rows(kRows, 3);
  std::mt19937_64 engine(1);
  std::student_t_distribution<double> error(4);
  for (std::size_t i = 0; i < kRows; ++i) {
    rows.at(i, 0) = 1;
    rows.at(i, 1) = engine() % 2 == 0 ? -1 : 1;
    rows.at(i, 2) = 1 - 2 * rows.at(i, 1) + error(engine) + (i % 20 == 0 ? (i % 40 == 0 ? 50 : -50) : 0);
    rows.weight(i) = 1;
  }
  return rows;
}

}  // namespace example
