// Bounds of weightings that are planned from public numbers alone.
#include "sotto/posterior/bounds_plan.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/row_oracle.hpp"

namespace sotto {
namespace {

constexpr double kPlannedRows = 20000;
constexpr Rho kCost{0.001};

/// A constant, a number of variance one, and ones in this share of the rows.
OnceFacts facts_of_a_level() {
  OnceFacts facts;
  facts.column_mean = Position::Zero(3);
  facts.column_sd = Position::Ones(3);
  facts.indicator = {false, false, true};
  facts.from_zero = {false, false, false};
  facts.range = {{1, 1}, {-2, 2}, {0, 1}};
  facts.rows = kPlannedRows;
  return facts;
}

double width_with_a_level_of(double share) {
  const OnceFacts facts = facts_of_a_level();
  const Matrix moments{{1, 0, share}, {0, 1, 0}, {share, 0, share}};
  const Matrix frame = Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse();
  const StandIn stand_in(facts, frame, kPlannedRows);
  RowOracle nobody(facts, Matrix(0, 3), Position(0), kCost, 1);
  const PaidQuestions questions(nobody, kCost);
  return plan_bounds({facts, stand_in, frame, Position::Zero(3), {}}, questions, 0.8).width;
}

// In a frame in which the columns are white the rows of a rare level lie so far from the others that any bound shortens them: what the level
// gains by a wider one goes to noise, which the others have too.
TEST(BoundsPlan, are_narrower_where_a_level_is_rare_and_noise_counts) {
  EXPECT_LT(width_with_a_level_of(0.01), 0.9 * width_with_a_level_of(0.5));
}

}  // namespace
}  // namespace sotto
