// The sensitivity of a sum of clipped deviations, against the integers that rows really contribute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kRowDim = 3;
using Contribution = Eigen::VectorX<long double>;

LocationModel rows_model() { return {{{-4, 4}, {-4, 4}, {-4, 4}}, Matrix::Identity(kRowDim, kRowDim)}; }

std::optional<Measurements> measured(const ClippedDeviationsQuery& query, const PrivacyUnit& unit = {},
                                     double power = 1) {
  return measure_all_rows({rows_model(), unit, power})(query);
}

Rows deviating_row(const Position& x) {
  Rows rows(1, kRowDim);
  for (Eigen::Index j = 0; j < kRowDim; ++j) rows.at(0, static_cast<std::size_t>(j)) = x[j];
  rows.weight(0) = 1;
  return rows;
}

/// Corners, far rows, rows next to the point; now and then what no decoded row holds.
Position any_row(const Position& at, ChainRng& rng) {
  Position x = at + std::pow(10.0, 6 * rng.uniform() - 3) * rng.normals(kRowDim);
  if (rng.below(4) == 0)
    for (double& value : x) value = rng.below(2) == 0 ? -4 : 4;
  if (rng.below(12) == 0) {
    const double odd[] = {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -1e200, 1e300, 1e-310};
    x[static_cast<Eigen::Index>(rng.below(kRowDim))] = odd[rng.below(5)];
  }
  return x;
}

ClippedDeviationsQuery some_query(ChainRng& rng) {
  ClippedDeviationsQuery query{rng.normals(kRowDim), Matrix(kRowDim, kRowDim), std::pow(10.0, rng.normal()),
                               0, Rho(0.01)};
  for (double& entry : query.frame.reshaped()) entry = std::pow(10.0, rng.normal()) * rng.normal();
  if (rng.below(2) == 0) query.count = query.bound * std::pow(10.0, rng.normal());
  if (rng.below(6) == 0) query.bound *= 1e-100;
  return query;
}

/// The most that any of some pairs of rows (added or removed: any row) moves the integers, over the declared sensitivity.
double largest_move(const ClippedDeviationsQuery& query, Adjacency adjacency, ChainRng& rng) {
  const auto asked = measured(query, {adjacency, 1});
  if (!asked) return 0;
  const Measurement& part = asked->parts[0];
  double most = 0;
  for (int pair = 0; pair < 40; ++pair) {
    const Contribution one = contribution(part, deviating_row(any_row(query.at, rng)));
    const Contribution other = contribution(part, deviating_row(any_row(query.at, rng)));
    Contribution moved = one;
    if (adjacency == Adjacency::substitute) moved -= other;
    most = std::max({most, static_cast<double>(one.norm()), static_cast<double>(moved.norm())});
  }
  return most / part.charge.sensitivity;
}

TEST(ClippedDeviations, no_row_moves_them_further_than_declared) {
  ChainRng rng(31);
  double most[2] = {0, 0};
  for (int trial = 0; trial < 2000; ++trial) {
    const ClippedDeviationsQuery query = some_query(rng);
    for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
      const double move = largest_move(query, adjacency, rng);
      ASSERT_LE(move, 1) << query.bound << " " << query.count;
      double& reached = most[adjacency == Adjacency::substitute ? 0 : 1];
      reached = std::max(reached, move);
    }
  }
  EXPECT_GT(most[0], 0.99);  // the declared one is no larger than it must be
  EXPECT_GT(most[1], 0.99);
}

TEST(ClippedDeviations, add_up_what_the_question_says) {
  const ClippedDeviationsQuery query{Position{{1, 0, -1}}, 2 * Matrix::Identity(kRowDim, kRowDim), 3, 0.5,
                                     Rho(0.01)};
  const auto asked = measured(query);
  ASSERT_TRUE(asked);
  const Measurement& part = asked->parts[0];
  const double grid = part.charge.grid;
  // Shortened from 2 * (0, 3, 4), of length 10, to length 3.
  const Contribution far = contribution(part, deviating_row(Position{{1, 3, 3}})) * grid;
  ASSERT_EQ(far.size(), 4);
  const double expected[] = {0, 1.8, 2.4, 0.5};
  for (Eigen::Index j = 0; j < 4; ++j) EXPECT_NEAR(static_cast<double>(far[j]), expected[j], 1e-8);
  const Contribution near = contribution(part, deviating_row(Position{{1.5, 0, -1}})) * grid;
  EXPECT_NEAR(static_cast<double>(near[0]), 1, 1e-8);
  Rows left_out = deviating_row(Position{{1, 3, 3}});
  left_out.weight(0) = 0;
  EXPECT_EQ(contribution(part, left_out).norm(), 0);
  EXPECT_EQ(contribution(part, deviating_row(Position{{NAN, 0, 0}})).norm(), 0);
}

// Where the shortening of a far row has lost its digits, what is left of it is nothing.
TEST(ClippedDeviations, of_rows_that_lie_too_far_for_their_digits_are_none) {
  ChainRng rng(21);
  for (int round = 0; round < 20'000; ++round) {
    ClippedDeviationsQuery query{Position::Zero(kRowDim), Matrix::Identity(kRowDim, kRowDim),
                                 std::exp2(-60 + 4 * rng.normal()), 0, Rho(0.01)};
    query.count = query.bound / 3;
    const auto asked = measured(query);
    ASSERT_TRUE(asked);
    Position row = Position::Zero(kRowDim);
    row[0] = query.bound * std::exp2(1022 + 52 * rng.uniform());
    const Contribution moved = contribution(asked->parts[0], deviating_row(row)) -
                               contribution(asked->parts[0], deviating_row(-row));
    ASSERT_LE(static_cast<double>(moved.norm()), asked->parts[0].charge.sensitivity)
        << query.bound << " " << row[0];
    ASSERT_EQ(moved.norm(), 0) << query.bound << " " << row[0];
  }
}

TEST(ClippedDeviations, without_a_count_have_no_entry_for_it) {
  const ClippedDeviationsQuery query{Position::Zero(kRowDim), Matrix::Identity(kRowDim, kRowDim), 3, 0,
                                     Rho(0.01)};
  EXPECT_EQ(contribution(measured(query)->parts[0], deviating_row(Position::Ones(kRowDim))).size(), kRowDim);
}

TEST(ClippedDeviations, refuse_what_has_no_meaning) {
  const ClippedDeviationsQuery query{Position::Zero(kRowDim), Matrix::Identity(kRowDim, kRowDim), 3, 0,
                                     Rho(0.01)};
  EXPECT_THROW(static_cast<void>(measured(query, {}, 0.5)), Error);
  ClippedDeviationsQuery wrong = query;
  wrong.bound = NAN;
  EXPECT_FALSE(measured(wrong));
  wrong = query;
  wrong.count = -1;
  EXPECT_FALSE(measured(wrong));
  wrong = query;
  wrong.at[0] = HUGE_VAL;
  EXPECT_FALSE(measured(wrong));
  wrong = query;
  wrong.frame = Matrix::Identity(2, 2);
  EXPECT_FALSE(measured(wrong));
}

}  // namespace
}  // namespace sotto
