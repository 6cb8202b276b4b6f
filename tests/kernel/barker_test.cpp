#include "sotto/kernel/barker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/enumerated_kernel.hpp"

namespace sotto {
namespace {

// Largest |G(x) - F(x)| of normal noise plus correction against the logistic, over [0, 60] (both are symmetric). Upper
// tails are compared, so that no digits cancel.
double sup_error(const Correction::Entry& entry) {
  const double scale = std::sqrt(2 * entry.variance);
  double worst = 0;
  for (int i = 0; i <= 30000; ++i) {
    const double x = i * 2e-3;
    double tail = 0;
    for (const Correction::Atom& atom : entry.atoms) {
      tail += atom.weight * (std::erfc((x - atom.at) / scale) + std::erfc((x + atom.at) / scale)) / 4;
    }
    worst = std::max(worst, std::abs(tail - 1 / (1 + std::exp(x))));
  }
  return worst;
}

TEST(Barker, table_has_the_errors_it_states) {
  for (const Correction::Entry& entry : Correction::table()) {
    double total = 0;
    for (const Correction::Atom& atom : entry.atoms) {
      EXPECT_GT(atom.weight, 0);
      EXPECT_GE(atom.at, 0);
      total += atom.weight;
    }
    EXPECT_NEAR(total, 1, 1e-14);
    const double error = sup_error(entry);
    EXPECT_LE(error, entry.error) << entry.variance;
    EXPECT_GE(error, 0.9 * entry.error) << entry.variance;
    RecordProperty("sup_error_" + std::to_string(entry.variance), std::to_string(error));
  }
}

// Erratum E11's figures for linear programming over symmetric atoms.
TEST(Barker, errors_are_the_best_known) {
  const std::map<double, double> best = {
      {1, 1.3e-7}, {1.5, 2.7e-5}, {1.75, 1.6e-4}, {2, 5.9e-4}, {2.5, 3.5e-3}};
  for (const auto& [variance, error] : best) EXPECT_LE(Correction(variance).error(), 1.1 * error) << variance;
  EXPECT_LT(Correction(0.5).error(), 1e-14);
  EXPECT_THROW(Correction(1.2), Error);
}

double wave(const Position& x) { return x[0] >= 0 && x[0] < 5 ? 1.5 * std::cos(3 * x[0]) : -INFINITY; }

struct LatticeWalk {
  [[nodiscard]] Position propose(const Position& at, double /*size*/, ChainRng& rng) const {
    return at + Position::Constant(1, LatticeMove()(rng));
  }
  [[nodiscard]] double log_ratio(const Position&, const Position&, double) const { return 0; }
};

double reversibility_error(double variance) {
  const Barker<LatticeWalk> kernel(
      {.noise_variance = variance, .proposal = {}},
      {[](const Position&) { return 0.0; }, [](const Position& x) { return x; }});
  std::vector<Barker<LatticeWalk>::State> states;
  for (int i = 0; i < 5; ++i) states.push_back(kernel.init(Position::Constant(1, i)));
  // Exact ratios: hardly any noise, on a grid too coarse for it.
  const EnumeratedNoise noise = variance > 0 ? EnumeratedNoise{0x1p-7, variance} : EnumeratedNoise{1, 1e-9};
  const EnumeratedKernel chain(
      kernel, states, wave, [](const Position&, const Position&) { return 0.5; }, noise, 40);
  return chain.reversibility_error(wave);
}

// The smoothed acceptance is off by at most the table's error, so a flow is by at most twice that times its weight; the
// noise of this enumeration is coarse (2^-7), and the atoms are steps, which adds about 2^-7 of the largest atom's weight
// times the noise's density: 1e-4.
TEST(Barker, reversible_by_enumeration_up_to_the_stated_error) {
  EXPECT_LT(reversibility_error(1), 4e-3);
  EXPECT_LT(reversibility_error(2), 8 * Correction(2).error() + 4e-3);
}

TEST(Barker, proposals_that_cost_too_much_are_rejected_unasked) {
  const Barker<LatticeWalk> kernel(
      {.noise_variance = 1,
       .proposal = {},
       .shares = [](const Position& at,
                    const Position& to) { return std::max(at[0], to[0]) < 3 ? 1.0 : 5.0; },
       .most_shares = 4},
      {[](const Position&) { return 0.0; }, [](const Position& x) { return x; }});
  ChainRng rng(1);
  int unasked = 0;
  for (int i = 0; i < 40; ++i) {
    auto state = kernel.init(Position::Constant(1, 2));
    const Step step = kernel.step(state, rng);
    if (step.done()) {
      ++unasked;
      EXPECT_EQ(step.info().acceptance, 0);
      EXPECT_EQ(step.info().shares, 4);
      EXPECT_EQ(state.position[0], 2);
    } else {
      EXPECT_EQ(std::get<RatioQuery>(step.pending()).to[0], 1);
    }
  }
  EXPECT_GT(unasked, 5);
  EXPECT_LT(unasked, 35);
}

/// What warmup makes of a first step length where each step costs `shares` and would nearly always be accepted.
double learnt(double shares) {
  const Barker<> kernel({.noise_variance = 1,
                         .proposal = NormalWalk(Matrix::Identity(2, 2)),
                         .step_size = 1,
                         .shares = [](const Position&, const Position&) { return 0.0; }},
                        {[](const Position&) { return 0.0; }, [](const Position& x) { return x; }});
  auto state = kernel.init(Position::Zero(2));
  for (std::size_t t = 0; t < 50; ++t) kernel.adapt(state, {.acceptance = 0.5, .shares = shares}, t, 1000);
  return state.step_size.value();
}

TEST(Barker, steps_that_cost_more_than_their_share_are_made_shorter) {
  EXPECT_GT(learnt(0.2), 1.5);
  EXPECT_LT(learnt(1.5), 0.7);
}

TEST(Barker, exact_ratios_give_the_logistic_test_itself) { EXPECT_LT(reversibility_error(0), 1e-12); }

TEST(Barker, logistic_test_is_reversible) {
  for (const double ratio : {-800.0, -2.0, 0.3, 5.0}) {
    EXPECT_NEAR(barker_acceptance(ratio) + barker_acceptance(-ratio), 1, 1e-15);
  }
  EXPECT_NEAR(std::log(barker_acceptance(1.7) / barker_acceptance(-1.7)), 1.7, 1e-13);
}

}  // namespace
}  // namespace sotto
