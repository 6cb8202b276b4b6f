// Batches of a run are paid for as a whole, before the first.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Rows rows() {
  Rows result(50, 1);
  for (std::size_t i = 0; i < 50; ++i) result.weight(i) = 1;
  return result;
}
LocationModel model() { return {{{-1, 1}}, Matrix::Identity(1, 1)}; }

struct Bench {
  explicit Bench(double epsilon, PrivacyUnit unit = {})
      : budget(Epsilon(epsilon), Delta(1e-6)), unit(unit), entropy(3) {
    owner.emplace(rows(), model(), unit, ExecutionOptions{}, budget, entropy);
  }
  void serve(const BatchPlan& plan, std::optional<Epsilon> composed = {}) {
    owner.emplace(rows(), measure_batches({model(), unit}, plan, budget, composed), 1, budget, entropy,
                  std::make_unique<DiscreteGaussianMechanism>(entropy));
  }
  Answer ask(const Query& query) { return owner->answer(std::span(&query, 1)).front(); }
  Budget budget;
  PrivacyUnit unit;
  TestEntropy entropy;
  std::optional<DataOwner> owner;
};

const BatchGradientQuery kBatch{Position::Zero(1), 0.1, 4};
bool budget_refused(const Answer& answer) {
  const auto* refusal = std::get_if<QueryStatus>(&answer);
  return refusal != nullptr && *refusal == QueryStatus::budget;
}

TEST(Batches, cost_what_the_accountant_says_and_end_after_the_last) {
  Bench bench(4);
  bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 3});
  const double due =
      upper_epsilon(batch_event(0.1, 4, 3), Adjacency::substitute, Delta(1e-6), BoundKind::tight);
  EXPECT_GE(bench.budget.spent_epsilon(Delta(1e-6)).value(), due);
  EXPECT_LT(bench.budget.spent_epsilon(Delta(1e-6)).value(), due * 1.001);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(bench.ask(kBatch)));
  EXPECT_TRUE(budget_refused(bench.ask(kBatch)));
  EXPECT_TRUE(budget_refused(bench.ask(GradientQuery{Position::Zero(1), Rho(1e-9)})));
}

TEST(Batches, are_refused_whole_when_they_do_not_fit) {
  Bench bench(0.01);
  EXPECT_THROW(bench.serve({.rate = 0.5, .noise_multiplier = 1, .count = 100}), Error);
  EXPECT_EQ(bench.budget.entries().size(), 0u);
}

TEST(Batches, leave_others_what_was_composed_with_them) {
  Bench bench(8);
  bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 3, .others = Rho(0.1)});
  const GradientQuery gradient{Position::Zero(1), Rho(0.04)};
  EXPECT_FALSE(budget_refused(bench.ask(gradient)));
  EXPECT_FALSE(budget_refused(bench.ask(gradient)));
  EXPECT_TRUE(budget_refused(bench.ask(gradient)));
  EXPECT_LE(bench.budget.spent_epsilon(Delta(1e-6)).value(), 8);
}

TEST(Batches, must_be_planned) {
  Bench bench(4);
  EXPECT_THROW((void)bench.ask(kBatch), Error);
  bench.serve({.rate = 0.2, .noise_multiplier = 4, .count = 3}, Epsilon(1));
  EXPECT_THROW((void)bench.ask(kBatch), Error);
}

TEST(Batches, need_an_untouched_budget) {
  Bench bench(4);
  (void)bench.ask(GradientQuery{Position::Zero(1), Rho(0.01)});
  EXPECT_THROW(bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 1}), Error);
}

TEST(Batches, protect_single_rows_only) {
  Bench bench(4, {Adjacency::substitute, 2});
  bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 1});
  EXPECT_THROW((void)bench.ask(kBatch), Error);
}

}  // namespace
}  // namespace sotto
