#include "sotto/measurement/triangle_pass.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/measurement/regression_rows.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

struct OneRow {
  Position z;
  double scale;
};

/// Numbers of so many rows, among them ties and signs of both kinds.
std::vector<OneRow> some_rows(std::size_t count, Eigen::Index dim, ChainRng& rng) {
  std::vector<OneRow> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back({rng.normals(dim), 0.5 * (1 + std::floor(8 * rng.uniform()))});
  return rows;
}

std::vector<std::int64_t> given(IntegerSums& sums, std::size_t entries) {
  std::vector<std::int64_t> all(entries, 0);
  sums.give(all);
  return all;
}

/// One after the other, without tiles.
std::vector<std::int64_t> one_by_one(const std::vector<OneRow>& rows, const RowRounding& rounding,
                                     std::size_t entries) {
  IntegerSums sums(rounding, entries);
  for (const auto& [z, scale] : rows) {
    sums.entries.setZero();
    add_triangle(z, scale, sums.entries);
    sums.add();
  }
  return given(sums, entries);
}

std::vector<std::int64_t> in_tiles(const std::vector<OneRow>& rows, const RowRounding& rounding,
                                   std::size_t entries) {
  IntegerSums sums(rounding, entries);
  for (const auto& [z, scale] : rows) sums.add_outer(z, scale);
  return given(sums, entries);
}

// Bit by bit, whatever the number of rows beyond whole tiles. Rows beyond the length that some of them have add nothing to either.
TEST(TrianglePass, tiles_are_summed_as_rows_are) {
  ChainRng rng(1);
  for (const Eigen::Index dim : {1, 2, 3, 7, 8, 33}) {
    const std::size_t entries = triangle_entries(static_cast<std::size_t>(dim));
    for (const std::size_t count : {0, 1, 7, 8, 9, 30}) {
      const std::vector<OneRow> rows = some_rows(count, dim, rng);
      for (const double longest : {1e12, 1.7 * static_cast<double>(dim)}) {
        const RowRounding rounding{1, longest};
        EXPECT_EQ(in_tiles(rows, rounding, entries), one_by_one(rows, rounding, entries))
            << dim << " " << count << " " << longest;
      }
    }
  }
}

TEST(TrianglePass, a_row_that_is_too_long_or_no_number_adds_nothing) {
  const double inf = std::numeric_limits<double>::infinity();
  const Position whole = Position::Constant(2, 3);
  const std::vector<std::int64_t> once{9, 13, 9};  // 9 sqrt(2) = 12.7
  const double length = std::sqrt(9. * 9 + 13 * 13 + 9 * 9);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), inf, -inf, 1e200, 3.1}) {
    for (std::size_t lane = 0; lane < kTile; ++lane) {
      IntegerSums sums({1, length}, 3);
      for (std::size_t other = 0; other < lane; ++other) sums.add_outer(Position::Zero(2), 1);
      sums.add_outer(Position{{3, bad}}, 2);
      sums.add_outer(whole, 1);
      EXPECT_EQ(given(sums, 3), once) << bad << " " << lane;
    }
  }
}

}  // namespace
}  // namespace sotto
