#include "sotto/run/made_up_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace sotto {
namespace {

constexpr int kCells = 20'000;

std::vector<double> cells_of(const SchemaColumn& column, std::uint64_t seed) {
  ChainRng rng(seed);
  std::vector<double> cells(kCells);
  for (double& cell : cells) cell = made_up_cell(column, rng);
  return cells;
}

// Of each mean five standard errors (1e-6); standard deviations within a tenth.
TEST(MadeUpCells, have_the_expected_mean_and_spread) {
  const SchemaColumn columns[] = {
      {.name = "age", .bounds = {0, 120}, .expected = {50, 15}},
      {.name = "cost", .bounds = {0, 1e6}, .expected = {2000, 6000}},
      {.name = "far", .bounds = {-1e9, 1e9}, .expected = {-3, 0.5}},
      {.name = "visits", .kind = ColumnKind::count, .bounds = {0, 50}, .expected = {2, 3}},
      {.name = "alike", .kind = ColumnKind::count, .bounds = {0, 100}, .expected = {50, 3}},
      {.name = "one", .kind = ColumnKind::count, .bounds = {0, 1}, .expected = {0.2, 0.39}},
  };
  for (const SchemaColumn& column : columns) {
    const std::vector<double> cells = cells_of(column, 3);
    const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / kCells;
    double squares = 0;
    for (const double cell : cells) {
      squares += (cell - mean) * (cell - mean);
      EXPECT_GE(cell, column.bounds.lower) << column.name;
      EXPECT_LE(cell, column.bounds.upper) << column.name;
      if (column.kind == ColumnKind::count) {
        EXPECT_EQ(cell, std::floor(cell)) << column.name;
      }
    }
    const double sd = std::sqrt(squares / kCells);
    EXPECT_NEAR(mean, *column.expected.mean, 5 * *column.expected.sd / std::sqrt(kCells)) << column.name;
    EXPECT_NEAR(sd, *column.expected.sd, 0.1 * *column.expected.sd) << column.name;
  }
}

// Five standard deviations of each count (1e-6).
TEST(MadeUpCells, have_the_expected_shares) {
  const SchemaColumn disease{.name = "dx",
                             .kind = ColumnKind::category,
                             .levels = {"a", "b", "c"},
                             .expected = {{}, {}, {0.9, 0.01, 0.09}}};
  std::vector<double> counts(3);
  for (const double cell : cells_of(disease, 4)) ++counts.at(static_cast<std::size_t>(cell));
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double share = disease.expected.shares[k];
    EXPECT_NEAR(counts[k], kCells * share, 5 * std::sqrt(kCells * share * (1 - share))) << k;
  }
  const SchemaColumn ill{.name = "ill", .kind = ColumnKind::binary, .expected = {0.02}};
  const std::vector<double> ones = cells_of(ill, 5);
  EXPECT_NEAR(std::accumulate(ones.begin(), ones.end(), 0.0), 0.02 * kCells, 5 * std::sqrt(0.0196 * kCells));
}

TEST(MadeUpCells, are_even_where_nothing_is_expected) {
  const SchemaColumn region{.name = "region", .kind = ColumnKind::category, .levels = {"n", "s", "w", "e"}};
  std::vector<double> counts(4);
  for (const double cell : cells_of(region, 6)) ++counts.at(static_cast<std::size_t>(cell));
  for (const double count : counts) EXPECT_NEAR(count, kCells / 4.0, 5 * std::sqrt(kCells * 3 / 16.0));
}

}  // namespace
}  // namespace sotto
