#include "sotto/posterior/default_prior.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace sotto {
namespace {

/// Numbers of standard deviation 0.5 but for the last column, of two values; an intercept first.
OnceFacts facts_of(Eigen::Index columns) {
  OnceFacts facts;
  facts.column_mean = Position::Zero(columns + 1);
  facts.column_sd = Position::Constant(columns + 1, 0.5);
  facts.column_sd[0] = 0;
  facts.range.assign(static_cast<std::size_t>(columns) + 1, Interval{-2, 2});
  facts.range.back() = {0, 1};
  facts.indicator.assign(static_cast<std::size_t>(columns) + 1, false);
  facts.indicator.back() = true;
  facts.from_zero.assign(static_cast<std::size_t>(columns) + 1, false);
  return facts;
}

/// `last`: the last column's standard deviation, of zeros and ones.
ResolvedPrior resolved(Eigen::Index columns, double unit, double last = 0.5) {
  const OnceFacts facts = facts_of(columns);
  Matrix moments = Matrix::Identity(columns + 1, columns + 1) / 4;
  moments(0, 0) = 1;
  moments(0, columns) = moments(columns, 0) = moments(columns, columns) =
      (1 - std::sqrt(1 - 4 * last * last)) / 2;
  const Matrix frame = Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse();
  std::vector<std::optional<CoefficientPrior>> own(static_cast<std::size_t>(columns) + 1);
  return resolve_prior(own, facts, StandIn(facts, frame, 1000), unit, {});
}

TEST(DefaultPrior, two_standard_deviations_of_a_column_move_the_predictor_by_its_scale) {
  for (const double unit : {1.0, 30.0}) {
    const ResolvedPrior prior = resolved(4, unit);
    EXPECT_NEAR(std::sqrt(1 / prior.alone[1]), 2.5 * unit, 1e-9 * unit);
    EXPECT_NEAR(std::sqrt(1 / prior.alone[4]), 2.5 * unit, 1e-9 * unit);
    EXPECT_TRUE(prior.slopes.empty());
  }
}

TEST(DefaultPrior, many_columns_do_not_make_responses_certain_beforehand) {
  for (const Eigen::Index columns : {20, 100}) {
    const ResolvedPrior prior = resolved(columns, 1);
    const Matrix sd = prior.alone.tail(columns).cwiseSqrt().cwiseInverse() * JointStudentT::kScale;
    EXPECT_NEAR(0.5 * sd.norm(), 2.8, 1e-9);
    EXPECT_FALSE(prior.slopes.has(0));
  }
}

// A column of 1 % makes little of the predictor, whatever its effect.
TEST(DefaultPrior, a_rare_value_keeps_its_prior_among_many_columns) {
  const ResolvedPrior prior = resolved(20, 1, 0.1);
  EXPECT_NEAR(std::sqrt(1 / prior.alone[20]), 2.5, 1e-9);
  EXPECT_FALSE(prior.slopes.has(20));
  const Matrix sd = prior.alone.segment(1, 19).cwiseSqrt().cwiseInverse() * JointStudentT::kScale;
  EXPECT_NEAR(std::hypot(0.5 * sd.norm(), 0.25), 2.8, 1e-9);
}

// Five times as far out, twenty normals are e^-240 times as dense.
TEST(DefaultPrior, slopes_may_all_be_large) {
  const ResolvedPrior prior = resolved(20, 1);
  Position at = Position::Zero(21);
  at.tail(20) = prior.alone.tail(20).cwiseSqrt().cwiseInverse();
  const auto density = [&](const Position& x) {
    return -(x.array().square() * prior.normal.precision.diagonal().array()).sum() / 2 + prior.ratio(x);
  };
  EXPECT_GT(density(5 * at) - density(at), -45);
  EXPECT_LT(density(5 * at) - density(at), -35);
}

}  // namespace
}  // namespace sotto
