#include "sotto/kernel/langevin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/released_for_tests.hpp"

namespace sotto {
namespace {

const LogPrior kNoPrior{[](const Position&) { return 0.0; },
                        [](const Position& x) { return Position::Zero(x.size()).eval(); }};

/// The step size that a step takes when the answer has this noise variance.
double taken(const Sgld& kernel, Sgld::State& state, ChainRng& rng, double variance) {
  Step step = kernel.step(state, rng);
  step.resume(ReleasedForTests::make(NoisyGradient{Position::Zero(1), Position::Constant(1, variance)}));
  EXPECT_TRUE(step.done());
  return step.info().step_size;
}

TEST(Sgld, steps_get_shorter_by_the_stated_power) {
  const Sgld kernel({.scale = Position::Ones(1), .step_size = 0.2, .decay = 0.5, .decay_from = 10}, kNoPrior);
  Sgld::State state = kernel.init(Position::Zero(1));
  ChainRng rng(1);
  for (int t = 0; t < 30; ++t)
    EXPECT_NEAR(taken(kernel, state, rng, 0), 0.2 / std::sqrt(1 + t / 10.0), 1e-15);
}

TEST(Sgld, a_step_injects_at_least_the_noise_it_was_given) {
  const Sgld kernel({.scale = Position::Constant(1, 3), .step_size = 0.2}, kNoPrior);
  Sgld::State state = kernel.init(Position::Zero(1));
  ChainRng rng(1);
  EXPECT_EQ(taken(kernel, state, rng, 1), 0.2);  // 9 in scaled coordinates: less than 4 / 0.2
  EXPECT_NEAR(taken(kernel, state, rng, 10), 4 / 90.0, 1e-15);
}

TEST(Sgld, known_spread_counts_as_noise) {
  const Sgld kernel({.scale = Position::Ones(1), .spread = 30, .step_size = 0.2}, kNoPrior);
  Sgld::State state = kernel.init(Position::Zero(1));
  ChainRng rng(1);
  EXPECT_NEAR(taken(kernel, state, rng, 10), 4 / 40.0, 1e-15);
}

TEST(Langevin, an_aligned_factor_is_one_of_the_covariance_and_makes_noise_independent) {
  const Matrix covariance{{4, 1.5, -0.1}, {1.5, 1, 0.1}, {-0.1, 0.1, 0.09}};
  const Position scale{{2, 0.5, 0.1}};
  const Matrix factor = noise_aligned_factor(covariance, scale);
  EXPECT_LT((factor * factor.transpose() - covariance).norm(), 1e-13);
  Matrix noise = factor.transpose() * scale.cwiseAbs2().cwiseInverse().asDiagonal() * factor;
  const Position variance = noise.diagonal();
  noise.diagonal().setZero();
  EXPECT_LT(noise.norm(), 1e-12);
  const LangevinSettings settings{.scale = scale, .factor = factor, .spread = 0.5};
  const AlignedGradient aligned(settings, {Position{{1, 0, 0}}, scale.cwiseAbs2().cwiseInverse()},
                                Position{{0, 1, 0}});
  EXPECT_LT((aligned.force - factor.transpose() * Position{{1, 1, 0}}).norm(), 1e-14);
  EXPECT_LT((aligned.variance.matrix() - variance - Position::Constant(3, 0.5)).norm(), 1e-12);
}

TEST(Sgnht, the_thermostat_follows_the_kinetic_energy) {
  const Sgnht kernel({.scale = Position::Ones(2), .step_size = 0.1, .diffusion = 3}, kNoPrior);
  Sgnht::State state = kernel.init(Position::Zero(2));
  EXPECT_EQ(state.thermostat, 3);
  ChainRng rng(1);
  for (int t = 0; t < 5; ++t) {
    const double before = state.thermostat;
    const Position from = state.position;
    Step step = kernel.step(state, rng);
    step.resume(ReleasedForTests::make(NoisyGradient{Position::Ones(2), Position::Zero(2)}));
    ASSERT_TRUE(step.done());
    EXPECT_NEAR(state.thermostat - before, 0.1 * (state.momentum.squaredNorm() / 2 - 1), 1e-14);
    EXPECT_LT((state.position - from - 0.1 * state.momentum).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace sotto
