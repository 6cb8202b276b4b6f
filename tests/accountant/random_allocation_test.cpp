// A row in one of several steps drawn at random, against integrals over the outputs of all steps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

std::string spec(double sigma, int steps, int epochs = 1) {
  return "random-allocation:sigma=" + std::to_string(sigma) + ",steps=" + std::to_string(steps) +
         ",count=" + std::to_string(epochs);
}

struct Sides {
  double remove;
  double add;
};

// Sums over a grid of outputs, in standard deviations: the mean of the steps' likelihood ratios under normal outputs.
Sides over_outputs(double sigma, int steps, double epsilon, int points) {
  const double u = std::exp(epsilon);
  const double reach = 8 + 1 / sigma;
  const double h = 2 * reach / points;
  std::vector<double> mass;
  std::vector<double> ratio;
  for (int i = 0; i < points; ++i) {
    const double g = -reach + h * (i + 0.5);
    mass.push_back(h * std::exp(-g * g / 2) / std::sqrt(2 * M_PI));
    ratio.push_back(std::exp(g / sigma - 1 / (2 * sigma * sigma)));
  }
  Sides sides{0, 0};
  const auto look = [&](auto&& self, int left, double sum, double weight) -> void {
    if (left == 0) {
      const double l = sum / steps;
      sides.remove += weight * std::max(l - u, 0.0);
      sides.add += weight * std::max(1 - u * l, 0.0);
      return;
    }
    for (int i = 0; i < points; ++i) self(self, left - 1, sum + ratio[i], weight * mass[i]);
  };
  look(look, steps, 0, 1);
  return sides;
}

TEST(RandomAllocation, encloses_two_and_three_steps) {
  for (const double sigma : {0.6, 1.0, 3.0}) {
    for (const int steps : {2, 3}) {
      const Event event = parse_event(spec(sigma, steps));
      for (const double epsilon : {0.0, 0.1, 0.5, 1.5}) {
        SCOPED_TRACE(event_text(event) + " at " + std::to_string(epsilon));
        const Sides sides = over_outputs(sigma, steps, epsilon, steps == 2 ? 2000 : 200);
        const double truth = std::max(sides.remove, sides.add);
        const double error = steps == 2 ? 1e-5 : 2e-3;  // of the sum over a grid
        const Bounds bounds = tight_delta(event, Adjacency::add_remove, Epsilon(epsilon));
        EXPECT_GE(bounds.upper, truth * (1 - error) - 1e-13);
        EXPECT_LE(bounds.lower, truth * (1 + error) + 1e-13);
        if (truth > 1e-6) {
          EXPECT_LE(bounds.upper, 1.03 * truth);
          EXPECT_GE(bounds.lower, 0.97 * truth);
        }
        EXPECT_LE(bounds.upper, upper_delta(event, Adjacency::add_remove, Epsilon(epsilon), BoundKind::zcdp));
      }
    }
  }
}

TEST(RandomAllocation, one_step_is_gaussian_noise) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::substitute}) {
    const Bounds bounds = tight_delta(parse_event(spec(1.5, 1, 3)), adjacency, Epsilon(1));
    const Bounds plain =
        tight_delta(parse_event(adjacency == Adjacency::substitute ? "gaussian:sigma=0.75,count=3"
                                                                   : "gaussian:sigma=1.5,count=3"),
                    adjacency, Epsilon(1));
    EXPECT_EQ(bounds.upper, plain.upper);
    EXPECT_EQ(bounds.lower, plain.lower);
  }
}

// Between those who tell nothing of the steps and those who are in each with the same probability.
TEST(RandomAllocation, many_steps_lose_little) {
  for (const auto& [sigma, steps, epochs] :
       std::vector<std::tuple<double, int, int>>{{1, 1000, 1}, {0.8, 300, 5}}) {
    SCOPED_TRACE(spec(sigma, steps, epochs));
    const Event event = parse_event(spec(sigma, steps, epochs));
    const Bounds bounds = tight_epsilon(event, Adjacency::add_remove, Delta(1e-6));
    EXPECT_GT(bounds.lower, 0.9 * bounds.upper);
    const Event poisson =
        parse_event("subsampled-gaussian:sigma=" + std::to_string(sigma) +
                    ",rate=" + std::to_string(1.0 / steps) + ",count=" + std::to_string(steps * epochs));
    const double beside = tight_epsilon(poisson, Adjacency::add_remove, Delta(1e-6)).upper;
    EXPECT_LT(bounds.upper, 1.5 * beside);
    EXPECT_GT(bounds.upper, 0.3 * beside);
  }
}

// Exchanged for a row that contributes nothing it loses what one that is left out does; told its step, no more than Gaussian noise.
TEST(RandomAllocation, an_exchanged_row_is_bracketed) {
  const Event event = parse_event(spec(1, 20));
  const Bounds exchanged = tight_delta(event, Adjacency::substitute, Epsilon(0.5));
  const Bounds left_out = tight_delta(event, Adjacency::add_remove, Epsilon(0.5));
  EXPECT_NEAR(exchanged.lower, left_out.lower, 1e-9);
  EXPECT_GE(exchanged.upper, left_out.upper);
  EXPECT_LE(
      exchanged.upper,
      tight_delta(parse_event("gaussian:sigma=0.5"), Adjacency::substitute, Epsilon(0.5)).upper * (1 + 1e-9));
}

}  // namespace
}  // namespace sotto
