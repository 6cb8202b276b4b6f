// The sensitivity of a histogram of rows' lengths, against the integers that rows really contribute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"

namespace sotto {
namespace {

using Integers = Eigen::VectorX<long double>;

const DeviationLengthsQuery kLengthsAsked{Position{{1, 0}}, 2 * Matrix::Identity(2, 2), Position{{0, 2, 10}},
                                          Rho(0.01)};

std::optional<Measurements> lengths_measured(const DeviationLengthsQuery& query, const PrivacyUnit& unit = {},
                                             double power = 1) {
  const LocationModel model({{-40, 40}, {-40, 40}}, Matrix::Identity(2, 2));
  return measure_all_rows({model, unit, power})(query);
}

Rows row_at(double u, double v, double weight = 1) {
  Rows rows(1, 2);
  rows.at(0, 0) = u;
  rows.at(0, 1) = v;
  rows.weight(0) = weight;
  return rows;
}

/// Per bin, as counted.
Position counted(const Rows& rows) {
  const auto asked = lengths_measured(kLengthsAsked);
  const Measurement& part = asked->parts[0];
  return (contribution(part, rows) * part.charge.grid).cast<double>();
}

TEST(DeviationLengths, a_row_is_counted_in_one_bin) {
  EXPECT_EQ(counted(row_at(1, 0)), (Position{{1, 0, 0}}));
  EXPECT_EQ(counted(row_at(1.5, 0.5)), (Position{{1, 0, 0}}));
  EXPECT_EQ(counted(row_at(1, 1)), (Position{{0, 1, 0}}));  // at an edge: from it on
  EXPECT_EQ(counted(row_at(1, -4.9)), (Position{{0, 1, 0}}));
  EXPECT_EQ(counted(row_at(4, 4)), (Position{{0, 0, 1}}));  // 2 (3, 4) is as long as the last edge
  EXPECT_EQ(counted(row_at(-40, 40)), (Position{{0, 0, 1}}));
  EXPECT_EQ(counted(row_at(1e200, 0)), (Position{{0, 0, 1}}));
  EXPECT_EQ(counted(row_at(std::numeric_limits<double>::quiet_NaN(), 0)), (Position{{0, 0, 0}}));
  EXPECT_EQ(counted(row_at(1, 0, 0)), (Position{{0, 0, 0}}));
}

TEST(DeviationLengths, rows_are_counted_one_by_one) {
  Rows rows(3, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    rows.at(i, 0) = i == 0 ? 1 : 3;
    rows.at(i, 1) = 0;
    rows.weight(i) = 1;
  }
  EXPECT_EQ(counted(rows), (Position{{1, 2, 0}}));
}

TEST(DeviationLengths, no_row_moves_them_further_than_declared) {
  ChainRng rng(8);
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const auto asked = lengths_measured(kLengthsAsked, {adjacency, 1});
    const Measurement& part = asked->parts[0];
    double most = 0;
    for (int pair = 0; pair < 200; ++pair) {
      const auto any = [&] { return row_at(4 * rng.normal(), 4 * rng.normal(), rng.below(5) == 0 ? 0 : 1); };
      const Integers one = contribution(part, any());
      Integers moved = one;
      if (adjacency == Adjacency::substitute) moved -= contribution(part, any());
      const double move = static_cast<double>(std::max(one.norm(), moved.norm())) / part.charge.sensitivity;
      ASSERT_LE(move, 1);
      most = std::max(most, move);
    }
    EXPECT_GT(most, 0.99);  // the declared one is no larger than it must be
  }
}

TEST(DeviationLengths, of_a_person_count_all_rows) {
  const auto one = lengths_measured(kLengthsAsked);
  const auto five = lengths_measured(kLengthsAsked, {Adjacency::substitute, 5, false});
  EXPECT_NEAR(five->parts[0].charge.sensitivity / one->parts[0].charge.sensitivity, 5, 1e-9);
}

TEST(DeviationLengths, refuse_what_has_no_meaning) {
  EXPECT_THROW(static_cast<void>(lengths_measured(kLengthsAsked, {}, 0.5)), Error);
  for (const Position& edges : {Position{{0}}, Position{{1, 2}}, Position{{0, 2, 2}}, Position{{0, NAN}}}) {
    DeviationLengthsQuery wrong = kLengthsAsked;
    wrong.edges = edges;
    EXPECT_FALSE(lengths_measured(wrong));
  }
  DeviationLengthsQuery wrong = kLengthsAsked;
  wrong.at[0] = HUGE_VAL;
  EXPECT_FALSE(lengths_measured(wrong));
  wrong = kLengthsAsked;
  wrong.frame = Matrix::Identity(3, 3);
  EXPECT_FALSE(lengths_measured(wrong));
}

}  // namespace
}  // namespace sotto
