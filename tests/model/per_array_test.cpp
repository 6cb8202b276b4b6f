// Arrays of rows give the sums of single rows, and what goes wrong with one row touches no other.
#include "sotto/model/per_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/model/any_model.hpp"
#include "sotto/model/slope_bound.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kScale = 0x1p20;
constexpr double kRaises = 7;  ///< a value on which the code fails
constexpr double kGreatest = 8;
constexpr PrivacyUnit kRow{};
constexpr PrivacyUnit kAddedRow{Adjacency::add_remove, 1};
constexpr PrivacyUnit kPerson{Adjacency::substitute, 3, false};
constexpr PrivacyUnit kPersonOfOneRow{Adjacency::substitute, 1, false};

/// l = sin(x a_0) + y a_1 of rows (x, y), by arrays. It fails where any x is kRaises, and keeps the arrays that it sees.
struct Waves {
  SlopeBound bound{Position{{8, 8}}};
  std::shared_ptr<std::vector<Matrix>> seen = std::make_shared<std::vector<Matrix>>();
  bool fails_on_many = false;
  bool fails_on_two = false;  ///< rows whose y is greatest of all

  [[nodiscard]] Eigen::Index dim() const { return 2; }
  [[nodiscard]] Interval ratio_range(const Position& a, const Position& b) const {
    return bound.ratio_range(a, b);
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    return bound.gradient_bound(at, scale);
  }
  [[nodiscard]] bool fails(const Matrix& rows) const {
    seen->push_back(rows);
    return (rows.col(0).array() == kRaises).any() || (fails_on_many && rows.rows() > 1) ||
           (fails_on_two && (rows.col(1).array() == kGreatest).count() > 1);
  }
  [[nodiscard]] bool log_densities(const Matrix& rows, const Position& at, Position& out) const {
    out.setConstant(1e9);  // what is left there by code that fails midway
    if (fails(rows)) return false;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) out[i] = std::sin(rows(i, 0) * at[0]) + rows(i, 1) * at[1];
    return true;
  }
  [[nodiscard]] bool gradients(const Matrix& rows, const Position& at, Matrix& out) const {
    out.setConstant(1e9);
    if (fails(rows)) return false;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      out.col(i) << rows(i, 0) * std::cos(rows(i, 0) * at[0]), rows(i, 1);
    return true;
  }
};

/// The same, one row at a time.
struct WavesOfOneRow : Waves {
  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    return row[0] == kRaises ? NAN : std::sin(row[0] * at[0]) + row[1] * at[1];
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    out << row[0] * std::cos(row[0] * at[0]), row[1];
    if (row[0] == kRaises) out[0] = NAN;
  }
};

const Position kFill{{-1, -1}};
const Position kFrom{{0.3, -0.2}};
const Position kTo{{0.9, 0.4}};

/// Ratio and gradient. `tiles_at_once`: as a pass is cut.
std::vector<std::int64_t> sums_of(const AnyModel& model, const Rows& rows, std::size_t tiles_at_once) {
  const auto reach = static_cast<std::int64_t>(model.ratio_range(kFrom, kTo).upper * kScale);
  const RatioTask ratio{&kFrom, &kTo, -reach, reach};
  const GradientTask gradient{&kTo, Position::Constant(2, kScale), HUGE_VAL, HUGE_VAL};
  std::vector<std::int64_t> sums(3);
  for (std::size_t first = 0; first < rows.tiles(); first += tiles_at_once) {
    const std::size_t count = std::min(tiles_at_once, rows.tiles() - first);
    model.add_ratios(rows, first, count, {&ratio, 1}, kScale, std::span(sums).first(1));
    model.add_gradients(rows, first, count, {&gradient, 1}, std::span(sums).last(2));
  }
  return sums;
}

/// Every seventh was left out, and holds what must not be looked at.
Rows rows_of(std::size_t count) {
  Rows rows(count, 2);
  for (std::size_t i = 0; i < count; ++i) {
    const Position z = ChainRng(5, i).normals(2);
    rows.weight(i) = i % 7 == 3 ? 0 : 1;
    for (std::size_t j = 0; j < 2; ++j)
      rows.at(i, j) = rows.weight(i) == 0 ? kRaises : z[static_cast<Eigen::Index>(j)];
  }
  return rows;
}

TEST(PerArray, adds_what_single_rows_add) {
  const Rows rows = rows_of(101);
  const std::vector<std::int64_t> expected = sums_of(PerRow(WavesOfOneRow{}), rows, 1);
  EXPECT_NE(expected[0], 0);
  for (const PrivacyUnit& unit : {kRow, kAddedRow, kPerson}) {
    for (const std::size_t tiles : {1, 4, 512})
      EXPECT_EQ(sums_of(PerArray(Waves{}, kFill, unit), rows, tiles), expected) << tiles;
  }
}

TEST(PerArray, keeps_places_where_a_row_is_exchanged) {
  const Waves code;
  const Rows rows = rows_of(20);
  sums_of(PerArray(code, kFill, kRow), rows, 512);
  ASSERT_EQ(code.seen->size(), 6u) << "two positions and a gradient, all rows at once, each after legal rows";
  for (std::size_t call = 0; call < 6; ++call) {
    const Matrix& array = (*code.seen)[call];
    ASSERT_EQ(array.rows(), 24);
    if (call % 2 == 0) {
      EXPECT_EQ(array, Matrix(kFill.transpose().replicate(24, 1)));
      continue;
    }
    for (Eigen::Index i = 0; i < 24; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const bool counted = i < 20 && rows.weight(row) != 0;
      EXPECT_EQ(array(i, 0), counted ? rows.at(row, 0) : kFill[0]) << i;
      EXPECT_EQ(array(i, 1), counted ? rows.at(row, 1) : kFill[1]) << i;
    }
  }
}

TEST(PerArray, sees_single_rows_where_others_may_move) {
  for (const PrivacyUnit& unit : {kAddedRow, kPerson, kPersonOfOneRow}) {
    const Waves code;
    sums_of(PerArray(code, kFill, unit), rows_of(20), 512);
    EXPECT_EQ(code.seen->size(), 3u * 17) << "those left out are skipped";
    for (const Matrix& array : *code.seen) EXPECT_EQ(array.rows(), 1);
  }
  const Waves code;
  sums_of(PerArray(code, kFill, kRow, true), rows_of(20), 512);
  EXPECT_EQ(code.seen->size(), 3u * 17) << "asked for";
}

// Neighbours: the sums differ by what the one row adds, to the integer.
TEST(PerArray, a_row_on_which_code_fails_takes_no_other_along) {
  for (const PrivacyUnit& unit : {kRow, kAddedRow}) {
    const PerArray model(Waves{}, kFill, unit);
    const Rows rows = rows_of(101);
    const std::vector<std::int64_t> all = sums_of(model, rows, 512);
    for (const std::size_t failing : {0, 50, 100}) {
      Rows one(1, 2);
      one.weight(0) = 1;
      for (std::size_t j = 0; j < 2; ++j) one.at(0, j) = rows.at(failing, j);
      const std::vector<std::int64_t> its_own = sums_of(model, one, 1);
      Rows neighbour = rows_of(101);
      neighbour.at(failing, 0) = kRaises;
      const std::vector<std::int64_t> others = sums_of(model, neighbour, 512);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(all[k] - its_own[k], others[k]) << failing;
    }
  }
}

TEST(PerArray, several_failing_rows_are_found_and_no_others) {
  Rows rows = rows_of(64);
  for (const std::size_t i : {0, 1, 30, 63}) {
    rows.at(i, 0) = kRaises;
    rows.weight(i) = 1;
  }
  EXPECT_EQ(sums_of(PerArray(Waves{}, kFill, kRow), rows, 512), sums_of(PerRow(WavesOfOneRow{}), rows, 1));
}

// Code that asks which row has the greatest y, and takes no two.
TEST(PerArray, rows_on_which_code_fails_together_take_no_other_along) {
  Waves code;
  code.fails_on_two = true;
  Rows rows = rows_of(64);
  for (const std::size_t i : {0, 30}) rows.at(i, 1) = kGreatest;
  rows.at(62, 0) = kRaises;
  EXPECT_EQ(sums_of(PerArray(code, kFill, kRow), rows, 512), sums_of(PerRow(WavesOfOneRow{}), rows, 1));
}

// At such a position neighbours add nothing, one on whose row it fails and one on none of whose.
TEST(PerArray, code_that_fails_on_legal_rows_adds_nothing_of_any) {
  Rows rows = rows_of(64);
  const std::vector<std::int64_t> nothing(3, 0);
  const PerArray model(Waves{}, Position{{kRaises, 0}}, kRow);
  for (std::size_t i = 0; i < 64; ++i) rows.weight(i) = 1, rows.at(i, 0) = 0.01 * static_cast<double>(i);
  EXPECT_EQ(sums_of(model, rows, 512), nothing);
  rows.at(5, 0) = kRaises;
  EXPECT_EQ(sums_of(model, rows, 512), nothing);
}

TEST(PerArray, code_that_fails_on_any_rows_adds_nothing) {
  Waves code;
  code.fails_on_many = true;
  const std::vector<std::int64_t> nothing(3, 0);
  EXPECT_EQ(sums_of(PerArray(code, kFill, kRow), rows_of(20), 512), nothing);
  EXPECT_EQ(code.seen->size(), 3u) << "legal rows tell that it is not a row's doing";
  EXPECT_EQ(sums_of(PerArray(Waves{}, Position{{kRaises, 0}}, kRow), rows_of(20), 512), nothing);
}

}  // namespace
}  // namespace sotto
