// The Hamiltonian kernel step by step: what it asks, what friction and the learned path length do.
#include "sotto/kernel/hmc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "sotto/chain/lockstep.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/non_private_oracle.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

const LogPrior kFlat{[](const Position&) { return 0.0; },
                     [](const Position& x) { return Position::Zero(x.size()).eval(); }};

// Rows at zero: the posterior of the mean is normal with variance 1 / 100 in each coordinate.
Rows rows() {
  Rows result(100, 2);
  for (std::size_t i = 0; i < 100; ++i) result.weight(i) = 1;
  return result;
}
LocationModel model() { return {{{-1, 1}, {-1, 1}}, Matrix::Identity(2, 2)}; }

Hmc::Settings settings() {
  return {.ratio_cost = Rho(10),
          .gradient_cost = Rho(2),
          .steps = 3,
          .step_size = 0.3,
          .inverse_mass = Matrix::Identity(2, 2) / 100,
          .target_acceptance = 0};
}

std::vector<Chain> run(const Hmc& hmc, QueryInterface& owner, std::size_t warmup, std::size_t draws) {
  const std::vector<Position> starts(1, Position::Constant(2, 0.1));
  return run_chains(hmc, std::span<const Position>(starts), owner,
                    {.warmup = warmup, .draws = draws, .thin = 1, .seed = 5},
                    [](const Position& x) { return x; });
}

TEST(Hmc, asks_for_the_last_gradient_and_the_ratio_together) {
  TestEntropy entropy(1);
  Budget budget(Epsilon(1e6), Delta(1e-6));
  DataOwner owner(rows(), model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  const Hmc hmc(settings(), kFlat);
  auto state = hmc.init(Position::Constant(2, 0.1));
  ChainRng rng(1);
  Step step = hmc.step(state, rng);
  std::vector<std::size_t> kinds;
  while (!step.done()) {
    const Query query = step.pending();
    kinds.push_back(query.index());
    step.resume(std::move(owner.answer(std::span(&query, 1)).front()));
  }
  const std::size_t gradient = Query(GradientQuery{{}, Rho(0)}).index();
  const std::size_t joint = Query(JointQuery{{{}, Rho(0)}, {{}, {}, Rho(0)}}).index();
  EXPECT_EQ(kinds, (std::vector<std::size_t>{gradient, gradient, gradient, joint}));
  EXPECT_NEAR(budget.spent().value(), 10 + 4 * 2, 1e-6);
}

// One pass for both gives what two passes give.
TEST(Hmc, joint_answer_is_the_gradient_and_the_ratio) {
  NonPrivateOracle owner(rows(), model(), ExecutionOptions{});
  const Position from = Position::Constant(2, 0.1);
  const Position to = Position::Constant(2, -0.3);
  const std::vector<Query> queries{GradientQuery{to, Rho(1)}, RatioQuery{from, to, Rho(1)},
                                   JointQuery{{to, Rho(1)}, {from, to, Rho(1)}}};
  const auto answers = owner.answer(queries);
  const NoisyJoint& joint = std::get<Released<NoisyJoint>>(answers[2]).value();
  EXPECT_EQ(joint.gradient.value, std::get<Released<NoisyGradient>>(answers[0]).value().value);
  EXPECT_EQ(joint.ratio.value, std::get<Released<NoisyRatio>>(answers[1]).value().value);
  EXPECT_NEAR(joint.ratio.value, 100 * (0.01 - 0.09), 1e-9);
}

// Without noise and friction the energy error of a harmonic leapfrog is small, so nearly all is accepted; the
// work of the kicks must then be the whole change of kinetic energy.
TEST(Hmc, accepts_exact_trajectories) {
  NonPrivateOracle owner(rows(), model(), ExecutionOptions{});
  Hmc::Settings s = settings();
  s.step_size = 0.1;
  const auto chains = run(Hmc(s, kFlat), owner, 0, 200);
  for (const double acceptance : chains[0].steps.at("accept_stat")) EXPECT_GT(acceptance, 0.98);
}

TEST(Hmc, ends_as_data_when_the_budget_ends) {
  TestEntropy entropy(1);
  Budget budget(Epsilon(10), Delta(1e-6));
  DataOwner owner(rows(), model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  Hmc::Settings s = settings();
  s.ratio_cost = Rho(0.1);
  s.gradient_cost = Rho(0.01);
  const auto chains = run(Hmc(s, kFlat), owner, 0, 1000);
  EXPECT_EQ(chains[0].stop, StopReason::budget_spent);
  EXPECT_GT(chains[0].draws.rows(), 5);
  EXPECT_LT(chains[0].draws.rows(), 100);
}

TEST(Hmc, path_length_grows_where_trajectories_are_too_short) {
  NonPrivateOracle owner(rows(), model(), ExecutionOptions{});
  Hmc::Settings s = settings();
  s.steps = 1;
  s.step_size = 0.1;
  s.adapt_length = true;
  s.ratio_cost = Rho(1);
  s.gradient_cost = Rho(0.02);  // at a quarter of a period, 1.57, half of the price is for the length
  const Hmc hmc(s, kFlat);
  auto state = hmc.init(Position::Constant(2, 0.1));
  ChainRng rng(3);
  for (std::size_t t = 0; t < 2000; ++t) {
    Step step = hmc.step(state, rng);
    while (!step.done()) {
      const Query query = step.pending();
      step.resume(std::move(owner.answer(std::span(&query, 1)).front()));
    }
    hmc.adapt(state, step.info(), t, 2000);
  }
  EXPECT_GT(state.length.value(), 0.8);
  EXPECT_LT(state.length.value(), 3.0);
}

TEST(PathLength, shrinks_where_length_only_costs) {
  PathLength length(1);
  const Position mean = Position::Zero(1);
  const Position start = Position::Constant(1, 1);
  const Position end = Position::Constant(1, 1.1);
  for (int i = 0; i < 200; ++i) length.learn(start, end, Position::Zero(1), mean, 1, 1, 0.9, 0.1, 10);
  EXPECT_NEAR(length.value(), 0.1, 1e-12);
}

// Far off, a trajectory that keeps its energy may move by about one posterior sd before the noise on its ratio rejects it:
// forty sds are out of reach of eighty steps. What the ratio alone calls better gets there.
TEST(Hmc, search_in_warmup_reaches_the_posterior_from_far_off) {
  for (const bool search : {false, true}) {
    TestEntropy entropy(3);
    Budget budget(Epsilon(1e6), Delta(1e-6));
    DataOwner owner(rows(), model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
    Hmc::Settings noisy = settings();
    noisy.ratio_cost = noisy.gradient_cost = Rho(0.02);
    noisy.target_acceptance = 0.6;
    noisy.search = search;
    const std::vector<Position> starts(4, Position::Constant(2, 4));
    const auto chains =
        run_chains(Hmc(noisy, kFlat), std::span<const Position>(starts), owner,
                   {.warmup = 80, .draws = 20, .thin = 1, .seed = 5}, [](const Position& x) { return x; });
    for (const Chain& chain : chains) {
      const double farthest = chain.draws.cwiseAbs().maxCoeff();
      EXPECT_EQ(farthest < 1, search) << farthest;
    }
  }
}

}  // namespace
}  // namespace sotto
