#include "sotto/owner/data_owner.hpp"
#include "sotto/ledger/budget.hpp"

#include <gtest/gtest.h>

#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/measurement/ratio.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/non_private_oracle.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "support/recording_ledger.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Rows some_rows(std::size_t n) {
  Rows rows(n, 2);
  ChainRng rng(2);
  for (std::size_t i = 0; i < n; ++i) {
    rows.at(i, 0) = 2 * rng.uniform() - 1;
    rows.at(i, 1) = 2 * rng.uniform() - 1;
    rows.weight(i) = i % 7 != 0 ? 1 : 0;
  }
  return rows;
}

LocationModel unit_model() { return {{{-1, 1}, {-1, 1}}, Matrix::Identity(2, 2)}; }

Position at(double x, double y) {
  Position p(2);
  p << x, y;
  return p;
}

// The exact answers, by a plain loop.
TEST(DataOwner, answers_are_centred_on_the_sums) {
  const Rows rows = some_rows(101);
  double ratio = 0;
  Position gradient = Position::Zero(2);
  const Position from = at(0.1, 0.2);
  const Position to = at(-0.3, 0.25);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const Position x = at(rows.at(i, 0), rows.at(i, 1));
    ratio += rows.weight(i) * ((x - from).squaredNorm() - (x - to).squaredNorm()) / 2;
    gradient += rows.weight(i) * (x - from);
  }
  NonPrivateOracle open(some_rows(101), unit_model(), ExecutionOptions{});
  const Query queries[] = {RatioQuery{from, to, Rho(1)}, GradientQuery{from, Rho(1)}};
  const auto answers = open.answer(queries);
  EXPECT_NEAR(std::get<Released<NoisyRatio>>(answers[0]).value().value, ratio, 101 * kLogDensityGrid);
  EXPECT_LT((std::get<Released<NoisyGradient>>(answers[1]).value().value - gradient).norm(), 1e-6);
}

// A log ratio that could leave the grid, which a private owner refuses, is exact without privacy where no row's does.
TEST(NonPrivateOracle, answers_ratios_that_do_not_fit_the_grid) {
  const LocationModel wide{{{-1e3, 1e3}, {-1e3, 1e3}}, Matrix::Identity(2, 2)};
  const Position from = at(0.1, 0.2);
  const Position to = at(-4, 2.5);
  const RatioQuery far{from, to, Rho(1)};
  ASSERT_FALSE(measure_all_rows({wide})(far));
  const Rows rows = some_rows(101);
  double ratio = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const Position x = at(rows.at(i, 0), rows.at(i, 1));
    ratio += rows.weight(i) * ((x - from).squaredNorm() - (x - to).squaredNorm()) / 2;
  }
  NonPrivateOracle open(some_rows(101), wide, ExecutionOptions{});
  const Query queries[] = {far, JointQuery{{to, Rho(1)}, far}};
  const auto answers = open.answer(queries);
  const double rounding = 1e4 * kLogDensityGrid * std::abs(ratio);
  EXPECT_NEAR(std::get<Released<NoisyRatio>>(answers[0]).value().value, ratio, rounding);
  EXPECT_NEAR(std::get<Released<NoisyJoint>>(answers[1]).value().ratio.value, ratio, rounding);
  const Query nowhere[] = {RatioQuery{from, at(1e300, 0), Rho(1)}};
  EXPECT_EQ(std::get<QueryStatus>(open.answer(nowhere)[0]), QueryStatus::out_of_range);
}

// A far ratio is summed over a few tiles at a time. Each row counts once all the same.
TEST(DataOwner, every_row_counts_once_however_far_the_question) {
  const Query query = RatioQuery{at(0, 0), at(20, 0), Rho(1)};
  const std::size_t n = 101;
  const auto passed = measure_all_rows({unit_model()})(query).value();
  ASSERT_LT(4 * std::get<RowPass>(passed.parts[0].pass).run, some_rows(n).tiles());
  const auto answer = [&](Rows rows) {
    NonPrivateOracle open(std::move(rows), unit_model(), ExecutionOptions{});
    return std::get<Released<NoisyRatio>>(open.answer({&query, 1})[0]).value().value;
  };
  const Rows rows = some_rows(n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Rows one(1, 2);
    for (std::size_t j = 0; j <= 2; ++j) one.at(0, j) = rows.at(i, j);
    sum += answer(std::move(one));
  }
  EXPECT_NEAR(answer(some_rows(n)), sum, 1e-9 * std::abs(sum));
}

TEST(DataOwner, books_before_it_answers_and_refuses_when_spent) {
  Budget budget(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(some_rows(50), unit_model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  const Query query = RatioQuery{at(0, 0), at(0.1, 0), Rho(budget.left().value() * 0.4)};
  EXPECT_TRUE(std::holds_alternative<Released<NoisyRatio>>(owner.answer({&query, 1})[0]));
  EXPECT_TRUE(std::holds_alternative<Released<NoisyRatio>>(owner.answer({&query, 1})[0]));
  const auto third = owner.answer({&query, 1});
  ASSERT_TRUE(std::holds_alternative<QueryStatus>(third[0]));
  EXPECT_EQ(std::get<QueryStatus>(third[0]), QueryStatus::budget);
  ASSERT_EQ(budget.entries().size(), 1u);
  EXPECT_EQ(budget.entries()[0].count, 2u);
}

TEST(DataOwner, a_position_out_of_range_costs_nothing) {
  Budget budget(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(some_rows(50), unit_model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  const Query queries[] = {RatioQuery{at(0, 0), at(1e200, 0), Rho(0.001)},
                           RatioQuery{at(0, 0), at(NAN, 0), Rho(0.001)},
                           GradientQuery{at(INFINITY, 0), Rho(0.001)}};
  for (const Answer& answer : owner.answer(queries))
    EXPECT_EQ(std::get<QueryStatus>(answer), QueryStatus::out_of_range);
  EXPECT_EQ(budget.spent().value(), 0);
}

// The noise depends on bounds, cost and adjacency only: never on the rows.
TEST(DataOwner, the_charge_is_the_same_for_any_rows) {
  std::vector<double> spent;
  for (const std::size_t n : {1u, 50u, 999u}) {
    Budget budget(Epsilon(1), Delta(1e-6));
    TestEntropy entropy(1);
    DataOwner owner(some_rows(n), unit_model(), PrivacyUnit{Adjacency::add_remove, 2}, ExecutionOptions{},
                    budget, entropy);
    const Query queries[] = {RatioQuery{at(0, 0), at(0.1, 0), Rho(0.001)},
                             GradientQuery{at(0.3, 0), Rho(0.001)}};
    static_cast<void>(owner.answer(queries));
    spent.push_back(budget.spent().value());
  }
  EXPECT_EQ(spent[0], spent[1]);
  EXPECT_EQ(spent[0], spent[2]);
}

// A person with three rows pays for three, and an exchange for more than a row that is left out.
TEST(DataOwner, prices_the_unit_it_was_given) {
  const auto charges = [](PrivacyUnit unit) {
    RecordingLedger ledger{Epsilon(30)};
    TestEntropy entropy(1);
    DataOwner owner(some_rows(50), unit_model(), unit, ExecutionOptions{}, ledger, entropy);
    const Query queries[] = {RatioQuery{at(0, 0), at(0.1, 0), Rho(0.001)},
                             GradientQuery{at(0, 0), Rho(0.001)}};
    static_cast<void>(owner.answer(queries));
    return ledger.charges;
  };
  const auto one = charges({Adjacency::substitute, 1});
  const auto three = charges({Adjacency::substitute, 3});
  const auto left_out = charges({Adjacency::add_remove, 1});
  ASSERT_EQ(one.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(three[i].sensitivity / one[i].sensitivity, 3, 1e-9);
    EXPECT_GT(one[i].sensitivity, 1.5 * left_out[i].sensitivity);
  }
}

TEST(Lockstep, same_draws_for_any_number_of_threads) {
  std::vector<Matrix> draws;
  for (const int threads : {1, 2, 3}) {
    Budget budget(Epsilon(50), Delta(1e-6));
    TestEntropy entropy(1);
    DataOwner owner(some_rows(70'000), unit_model(), PrivacyUnit{}, ExecutionOptions{1, threads}, budget,
                    entropy);
    const PenaltyMetropolis kernel({.cost = Rho(0.05), .proposal = 1e-4 * Matrix::Identity(2, 2)},
                                   product({CoefficientPrior{}, CoefficientPrior{}}));
    const std::vector<Position> starts(2, at(0, 0));
    const auto chains = run_chains(kernel, std::span<const Position>(starts), owner,
                                   {.warmup = 20, .draws = 30}, [](const Position& x) { return x; });
    draws.push_back(chains[0].draws);
    draws.push_back(chains[1].draws);
  }
  for (std::size_t i = 2; i < draws.size(); ++i) EXPECT_EQ(draws[i], draws[i % 2]);
  EXPECT_NE(draws[0], draws[1]);
}

TEST(Lockstep, ends_as_data_when_the_budget_ends) {
  Budget budget(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(some_rows(100), unit_model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  const Rho cost(budget.left().value() / 21);
  const Hmc kernel({.ratio_cost = cost,
                    .gradient_cost = cost,
                    .steps = 2,
                    .step_size = 0.01,
                    .inverse_mass = Matrix::Identity(2, 2)},
                   product({CoefficientPrior{}, CoefficientPrior{}}));
  const std::vector<Position> starts(1, at(0, 0));
  const auto chains = run_chains(kernel, std::span<const Position>(starts), owner,
                                 {.warmup = 0, .draws = 100}, [](const Position& x) { return x; });
  EXPECT_EQ(chains[0].stop, StopReason::budget_spent);
  EXPECT_EQ(chains[0].draws.rows(), 5);  // four answers a step, twenty answers in all
  EXPECT_LE(budget.spent_epsilon(Delta(1e-6)).value(), 1);
}

TEST(Lockstep, stops_when_asked) {
  NonPrivateOracle owner(some_rows(100), unit_model(), ExecutionOptions{});
  const PenaltyMetropolis kernel({.cost = Rho(1), .proposal = Matrix::Identity(2, 2)},
                                 product({CoefficientPrior{}, CoefficientPrior{}}));
  const std::vector<Position> starts(2, at(0, 0));
  const auto chains = run_chains(
      kernel, std::span<const Position>(starts), owner, {.warmup = 0, .draws = 100},
      [](const Position& x) { return x; }, [](std::size_t done, std::size_t) { return done < 40; });
  EXPECT_EQ(chains[0].stop, StopReason::interrupted);
  EXPECT_EQ(chains[0].draws.rows(), 20);
}

/// Goes twice as far out with every answer, and has no test that could refuse.
struct Runaway {
  struct State {
    Position position;
  };
  [[nodiscard]] State init(const Position& position) const { return {position}; }
  [[nodiscard]] Step step(State& state, ChainRng&) const {
    const GradientQuery query{state.position, Rho(1e-6)};
    const auto gradient = co_await query;
    StepInfo info{.accepted = true, .acceptance = 1};
    info.divergent = !gradient;
    state.position *= 2;
    co_return info;
  }
  void adapt(State&, const StepInfo&, std::size_t, std::size_t) const {}
};

// From 1, position t is 2^t: beyond 1000 after ten steps, and after some 1,020 no gradient can be asked for.
TEST(Lockstep, ends_before_the_budget_does_when_a_chain_runs_away) {
  const auto draws = [](std::function<bool(const Position&)> plausible) {
    Budget budget(Epsilon(1), Delta(1e-6));
    TestEntropy entropy(1);
    DataOwner owner(some_rows(20), unit_model(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
    const std::vector<Position> starts = {at(1, 1), at(0, 0)};
    const auto chains = run_chains(Runaway(), std::span<const Position>(starts), owner,
                                   {.warmup = 0, .draws = 5000, .plausible = std::move(plausible)},
                                   [](const Position& x) { return x; });
    for (const Chain& chain : chains) {
      EXPECT_EQ(chain.stop, StopReason::diverged) << "all end together";
      EXPECT_TRUE(chain.draws.allFinite());
    }
    EXPECT_GT(budget.left().value(), 0);
    return chains[0].draws.rows();
  };
  EXPECT_EQ(draws([](const Position& x) { return x.cwiseAbs().maxCoeff() < 1000; }), 9);
  const Eigen::Index unbounded = draws({});
  EXPECT_GT(unbounded, 30);
  EXPECT_LT(unbounded, 1025);
}

}  // namespace
}  // namespace sotto
