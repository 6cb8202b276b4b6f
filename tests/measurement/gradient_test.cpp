#include "sotto/measurement/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

const OwnerContext kContext{LocationModel({{-1, 1}, {-2, 2}}, Matrix::Identity(2, 2)), {}, 1};

double sensitivity(const OwnerContext& context, const Position& at) {
  const auto measured = measure(GradientQuery{at, Rho(0.1)}, context);
  const Charge& charge = measured->parts[0].charge;
  return charge.sensitivity * charge.grid;
}

// Rows in the box [-1, 1] x [-2, 2]: the longest difference of two is its diagonal, 2 sqrt(5); at the centre
// the longest gradient is half of that.
TEST(Gradient, sensitivity_is_the_declared_boxs_for_both_adjacencies) {
  const double diagonal = 2 * std::sqrt(5.0);
  EXPECT_NEAR(sensitivity(kContext, Position::Zero(2)), diagonal, 1e-6);
  OwnerContext added = kContext;
  added.unit.adjacency = Adjacency::add_remove;
  EXPECT_NEAR(sensitivity(added, Position::Zero(2)), diagonal / 2, 1e-6);
}

TEST(Gradient, a_unit_of_several_rows_counts_several_times) {
  OwnerContext three = kContext;
  three.unit.rows_per_unit = 3;
  EXPECT_NEAR(sensitivity(three, Position::Zero(2)), 3 * sensitivity(kContext, Position::Zero(2)), 1e-6);
}

TEST(Gradient, the_likelihoods_power_scales_it) {
  OwnerContext half = kContext;
  half.likelihood_power = 0.5;
  EXPECT_NEAR(sensitivity(half, Position::Zero(2)), sensitivity(kContext, Position::Zero(2)) / 2, 1e-6);
}

TEST(Gradient, positions_that_are_no_numbers_have_no_answer) {
  EXPECT_FALSE(measure(GradientQuery{Position::Constant(2, NAN), Rho(0.1)}, kContext));
  EXPECT_FALSE(measure(GradientQuery{Position::Constant(2, INFINITY), Rho(0.1)}, kContext));
}

bool is_refused(const Position& at, const Position& scale) {
  try {
    (void)measure(GradientQuery{at, Rho(0.1), scale}, kContext);
  } catch (const Error& error) {
    return error.code() == ErrorCode::configuration;
  }
  return false;
}

TEST(Gradient, positions_and_scales_of_another_shape_are_refused) {
  const Position zero = Position::Zero(2);
  EXPECT_FALSE(is_refused(zero, {}));
  EXPECT_FALSE(is_refused(zero, Position{{1, 3}}));
  for (const Eigen::Index size : {1, 3}) {
    EXPECT_TRUE(is_refused(Position::Zero(size), {}));
    EXPECT_TRUE(is_refused(zero, Position::Ones(size)));
  }
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
    EXPECT_TRUE(is_refused(zero, Position{{1, bad}}));
}

// Steps beyond every double would count a row whose gradient is zero as no number: far out sigma leaves no gradient, and a
// scale makes up for it.
TEST(Gradient, coordinates_of_more_steps_than_a_double_holds_have_no_answer) {
  const Glm normal(family::Normal{}, Domain({{{0}, Matrix::Ones(1, 1)}, {{1}, Matrix{{-1.0}, {1.0}}}}),
                   {-1, 1});
  const OwnerContext context{AnyModel(normal), {Adjacency::add_remove, 1}, 1};
  EXPECT_TRUE(measure(GradientQuery{Position::Zero(3), Rho(1e-8), Position{{1e300, 1, 1}}}, context));
  EXPECT_FALSE(measure(GradientQuery{Position{{0, 0, 800}}, Rho(1e-8), Position{{1e300, 1, 1}}}, context));
}

}  // namespace
}  // namespace sotto
