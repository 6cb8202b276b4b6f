// What calibration returns fits, as the accountant itself says, and nothing much better does.
#include "sotto/accountant/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

Target target(double epsilon, double delta, Adjacency adjacency = Adjacency::substitute) {
  Target result{Epsilon(epsilon), Delta(delta)};
  result.adjacency = adjacency;
  return result;
}

// Without delta only bounded losses fit, and they add up.
TEST(Calibrate, pure_privacy_is_solved_exactly) {
  EXPECT_NEAR(smallest_noise(parse_event("laplace:scale=1"), target(10, 0)), 0.1, 1e-7);
  EXPECT_GE(smallest_noise(parse_event("laplace:scale=1"), target(10, 0)), 0.1);
  EXPECT_NEAR(smallest_noise(parse_event("laplace:scale=1,count=4"), target(2, 0)), 2, 2e-6);
  EXPECT_EQ(largest_count(parse_event("pure:epsilon=1"), target(10, 0)), 10U);
  EXPECT_EQ(largest_count(parse_event("pure:epsilon=0.25"), target(10, 0)), 40U);
  EXPECT_EQ(largest_count(parse_event("laplace:scale=4"), target(1, 0)), 4U);
  EXPECT_EQ(largest_count(parse_event("pure:epsilon=1.01"), target(1, 0)), 0U);
  EXPECT_EQ(largest_count(parse_event("gaussian:sigma=100"), target(10, 0)), 0U);
  EXPECT_THROW((void)smallest_noise(parse_event("gaussian:sigma=1"), target(10, 0)), Error);
  // An exact multiple of a number with a rounding error of its own: within one of the decimal answer, and it fits.
  const std::uint64_t tenths = largest_count(parse_event("pure:epsilon=0.1"), target(10, 0));
  EXPECT_GE(tenths, 99U);
  EXPECT_LE(tenths, 100U);
}

TEST(Calibrate, pure_privacy_with_others_beside) {
  Target beside = target(3, 0);
  beside.others = parse_event("pure:epsilon=1,count=2");
  EXPECT_NEAR(smallest_noise(parse_event("laplace:scale=1"), beside), 1, 1e-6);
}

// Where losses are known by a bracket alone another accountant may grant more: what is found is the most that any grants.
TEST(Calibrate, the_best_accountant_decides) {
  const Event mechanism = parse_event("exponential-mechanism:epsilon=0.1");
  const Target one = target(1, 1e-6, Adjacency::add_remove);
  const auto epsilon_of = [&](std::uint64_t count) {
    Event event = mechanism;
    event.count = count;
    return account_epsilon(event, one.adjacency, one.delta, BoundKind::tight).upper;
  };
  const std::uint64_t count = largest_count(mechanism, one);
  EXPECT_LE(epsilon_of(count), 1);
  EXPECT_GT(epsilon_of(count + 1), 1);
}

// Noise below 1/35 of what one row contributes is beyond the accountant.
TEST(Calibrate, what_the_accountant_cannot_compute_does_not_fit) {
  const Event mechanism = parse_event("subsampled-gaussian:sigma=0.01,rate=0.5");
  const Target far = target(1e5, 1e-6, Adjacency::add_remove);
  EXPECT_THROW((void)account_delta(mechanism, far.adjacency, far.epsilon, BoundKind::tight), Error);
  EXPECT_EQ(largest_count(mechanism, far), 0U);
  EXPECT_GE(smallest_noise(mechanism, far), 1.0 / 35);
}

// The answer must be one that the accountant, asked afterwards, agrees with.
TEST(Calibrate, the_accountant_agrees_with_the_answer) {
  struct Case {
    const char* spec;
    double epsilon, delta;
    Adjacency adjacency;
  };
  for (const Case& c :
       {Case{"subsampled-gaussian:sigma=1,rate=0.01,count=1000", 1, 1e-5, Adjacency::add_remove},
        Case{"subsampled-gaussian:sigma=1,rate=0.1,count=300", 2, 1e-6, Adjacency::substitute},
        Case{"subsampled-laplace:scale=1,rate=0.05,count=100", 1, 1e-7, Adjacency::add_remove},
        Case{"laplace:scale=1,count=50", 2, 1e-6, Adjacency::substitute},
        Case{"discrete-gaussian:sigma=1,count=20", 1, 1e-6, Adjacency::substitute},
        Case{"gaussian:sigma=1,count=20", 1, 1e-6, Adjacency::substitute}}) {
    SCOPED_TRACE(c.spec);
    const Event mechanism = parse_event(c.spec);
    const Target fits = target(c.epsilon, c.delta, c.adjacency);
    const double noise = smallest_noise(mechanism, fits);
    EXPECT_LE(
        account_delta(with_noise(mechanism, noise), c.adjacency, Epsilon(c.epsilon), BoundKind::tight).upper,
        c.delta);
    EXPECT_LE(
        account_epsilon(with_noise(mechanism, noise), c.adjacency, Delta(c.delta), BoundKind::tight).upper,
        c.epsilon);
    // Its lower bound says that much less does not.
    EXPECT_GT(account_delta(with_noise(mechanism, noise * (1 - 2e-4)), c.adjacency, Epsilon(c.epsilon),
                            BoundKind::tight)
                  .upper,
              c.delta);
    Event run = with_noise(mechanism, 2 * noise);
    run.count = largest_count(run, fits);
    EXPECT_LE(account_delta(run, c.adjacency, Epsilon(c.epsilon), BoundKind::tight).upper, c.delta);
    EXPECT_LE(account_epsilon(run, c.adjacency, Delta(c.delta), BoundKind::tight).upper, c.epsilon);
  }
}

}  // namespace
}  // namespace sotto
