#include "sotto/release/answer_shape.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sotto {
namespace {

TEST(AnswerShape, numbers_are_those_of_the_answer) {
  const Position at = Position::Zero(3);
  const BoundedWeighting weighting{at, Matrix::Identity(3, 3), 1, 1, 1};
  const auto numbers = [](const Query& query) { return numbers_in_answer(query); };
  EXPECT_EQ(numbers(RatioQuery{at, at, Rho(1)}), 1u);
  EXPECT_EQ(numbers(GradientQuery{at, Rho(1)}), 6u) << "each entry has a variance";
  EXPECT_EQ(numbers(JointQuery{GradientQuery{at, Rho(1)}, RatioQuery{at, at, Rho(1)}}), 7u);
  EXPECT_EQ(numbers(BoundedScoreQuery{weighting, Rho(1)}), 3u);
  EXPECT_EQ(numbers(BoundedInformationQuery{weighting, Rho(1)}), 9u);
  EXPECT_EQ(numbers(LightRowsQuery{weighting, Rho(1)}), 4u);
  EXPECT_EQ(numbers(ColumnHistogramsQuery{{0, 1}, {{0, 1}, {-1, 1}}, 5, Rho(1)}), 14u);
  EXPECT_EQ(numbers(TotalQuery{TotalOf::rows, Rho(1)}), 1u);
}

}  // namespace
}  // namespace sotto
