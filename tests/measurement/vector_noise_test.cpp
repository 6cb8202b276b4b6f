#include "sotto/measurement/vector_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(VectorNoise, refuses_bounds_that_do_not_fit) {
  EXPECT_FALSE(vector_noise({HUGE_VAL, HUGE_VAL}, 3, {}, Rho(1)));
  EXPECT_FALSE(vector_noise({NAN, NAN}, 3, {}, Rho(1)));
}

// Four coordinates a hair above a half are all rounded away from zero, in opposite directions for opposite rows: the difference
// grows by sqrt(4) steps. The grid is 1 here, and one part in 2^40 of the bound is far less than a step.
TEST(VectorNoise, rounding_moves_no_vector_further_than_declared) {
  const double coordinate = 0x1p28 + 0.5;
  const VectorBound bound{2 * coordinate, 4 * coordinate};
  const GaussianNoise exchanged = vector_noise(bound, 4, {Adjacency::substitute, 1}, Rho(1)).value();
  ASSERT_EQ(exchanged.grid.value(), 1);
  EXPECT_GE(exchanged.sensitivity, 4 * std::ceil(coordinate));
  EXPECT_LT(exchanged.sensitivity, 4 * std::ceil(coordinate) + 0.01);
  const GaussianNoise left_out = vector_noise(bound, 4, {Adjacency::add_remove, 1}, Rho(1)).value();
  EXPECT_GE(left_out.sensitivity, 2 * std::ceil(coordinate));
  const GaussianNoise person = vector_noise(bound, 4, {Adjacency::substitute, 3}, Rho(1)).value();
  EXPECT_GE(person.sensitivity, 3 * 4 * std::ceil(coordinate));
}

// Three rows whose vectors add up to no more than the bound: each is rounded by itself.
TEST(VectorNoise, rows_that_share_a_bound_are_rounded_one_by_one) {
  const double coordinate = 0x1p28 + 0.5;
  const VectorBound bound{2 * coordinate, 4 * coordinate};
  const GaussianNoise noise = vector_noise(bound, 4, {Adjacency::substitute, 3}, Rho(1), 3).value();
  EXPECT_GE(noise.sensitivity, 4 * coordinate + 3 * 2);
  EXPECT_LT(noise.sensitivity, 4 * coordinate + 3 * 2 + 0.01);
  const GaussianNoise twice = vector_noise(bound, 4, {Adjacency::substitute, 6}, Rho(1), 3).value();
  EXPECT_GE(twice.sensitivity, 2 * noise.sensitivity);
  EXPECT_FALSE(vector_noise(bound, 4, {Adjacency::substitute, 4}, Rho(1), 3));
  EXPECT_FALSE(vector_noise(bound, 4, {Adjacency::substitute, 3}, Rho(1), 0));
}

// Rows that all lie far out on one side are near each other, but an exchange may lead to a row that is left out: zero.
TEST(VectorNoise, an_exchange_may_lead_to_a_row_that_is_left_out) {
  const VectorBound far{1000, 1};
  const GaussianNoise noise = vector_noise(far, 1, {Adjacency::substitute, 1}, Rho(1)).value();
  EXPECT_GE(noise.sensitivity * noise.grid.value(), 1000);
}

}  // namespace
}  // namespace sotto
