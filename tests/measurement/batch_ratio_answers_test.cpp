#include "sotto/measurement/batch_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sotto/accountant/account.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/secret_batches.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/one_dimension.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

TEST(BatchRatios, every_set_is_drawn_alike) {
  TestEntropy entropy(3);
  std::map<std::vector<std::size_t>, int> counts;
  for (int i = 0; i < 10000; ++i) {
    auto sample = sample_without_replacement(5, 2, entropy);
    std::sort(sample.begin(), sample.end());
    ++counts[sample];
  }
  ASSERT_EQ(counts.size(), 10u);
  // Each set 1000 times, sd 30: five of them; false alarm below 1e-5.
  for (const auto& [sample, count] : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_THROW((void)sample_without_replacement(5, 6, entropy), Error);
}

// A batch of all rows does not vary, so nothing is taken off the ratio.
TEST(BatchRatios, a_batch_of_all_rows_gives_the_ratio) {
  const auto values = values_on_the_line(200);
  Budget budget(Epsilon(1e12), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(measure_batch_ratios(rows_of(values), {model_on_the_line(), {}, 0.1}, 200), budget,
                  entropy);
  const Query query = RatioQuery{Position::Constant(1, 0.1), Position::Constant(1, 0.4), Rho(1e9)};
  const auto released = std::get<Released<NoisyRatio>>(owner.answer(std::span(&query, 1))[0]).value();
  double sum = 0;
  for (const double x : values) sum += 0.1 * 0.3 * (x - 0.25);
  EXPECT_NEAR(released.value, sum, 6 * std::sqrt(released.variance) + 1e-8);
  EXPECT_GT(budget.spent().value(), 0.9e9);
  EXPECT_LE(budget.spent().value(), 1e9);
}

// Half of the rows: over many batches the release has mean ratio - half the variance of a batch's estimate, and that
// variance. 4,000 batches: standard errors 1.6 % of the sd for the mean and 2.2 % of the variance; bands of five.
TEST(BatchRatios, a_release_estimates_the_ratio_less_half_the_batch_variance) {
  constexpr std::size_t kBatches = 4000;
  const auto values = values_on_the_line(200);
  Budget budget(Epsilon(1e15), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(measure_batch_ratios(rows_of(values), {model_on_the_line()}, 100), budget, entropy);
  double sum = 0;
  double squares = 0;
  for (const double x : values) {
    const double r = 0.1 * (x - 0.35);
    sum += r;
    squares += r * r;
  }
  const double variance = 2.0 * (2 - 1) * (squares - sum * sum / 200) * 100 / 200 * 200 / 199;
  const Query query = RatioQuery{Position::Constant(1, 0.3), Position::Constant(1, 0.4), Rho(1e9)};
  double mean = 0;
  double spread = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const double value = std::get<Released<NoisyRatio>>(owner.answer(std::span(&query, 1))[0]).value().value;
    mean += value / kBatches;
    spread += (value - sum) * (value - sum) / kBatches;
  }
  EXPECT_NEAR(mean, sum - variance / 2, 5 * std::sqrt(variance / kBatches));
  EXPECT_NEAR(spread / variance, 1 + variance / 4, 5 * std::sqrt(2.0 / kBatches));
}

TEST(BatchRatios, a_prepaid_run_costs_what_its_event_costs) {
  Budget budget(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(
      measure_batch_ratios(rows_of(values_on_the_line(50)), {model_on_the_line()}, {5, 1000, 3}, budget),
      budget, entropy);
  const double due =
      upper_epsilon(batch_ratio_event(1000, 5, 50, 3), Adjacency::substitute, Delta(1e-6), BoundKind::rdp);
  EXPECT_NEAR(budget.spent_epsilon(Delta(1e-6)).value(), due, 1e-8);
  EXPECT_GE(budget.spent_epsilon(Delta(1e-6)).value(), due);
  const Query query = RatioQuery{Position::Zero(1), Position::Constant(1, 0.1), Rho(1.0 / 2000)};
  const Query nearby = RatioQuery{Position::Zero(1), Position::Constant(1, 1e-9), Rho(1.0 / 2000)};
  const auto released = std::get<Released<NoisyRatio>>(owner.answer(std::span(&query, 1))[0]).value();
  const double sensitivity =
      batch_sensitivity(
          *contribution_range(model_on_the_line().ratio_range(Position::Zero(1), Position::Constant(1, 0.1))),
          5, 50) *
      kLogDensityGrid;
  EXPECT_NEAR(released.variance / (1000 * sensitivity * sensitivity), 1, 1e-6);
  EXPECT_FALSE(std::holds_alternative<QueryStatus>(owner.answer(std::span(&nearby, 1))[0]));
  EXPECT_FALSE(owner.refusals(std::span(&query, 1))[0]);
  const Query other = RatioQuery{Position::Zero(1), Position::Constant(1, 0.1), Rho(1e-4)};
  EXPECT_THROW((void)owner.answer(std::span(&other, 1)), Error);
  EXPECT_FALSE(std::holds_alternative<QueryStatus>(owner.answer(std::span(&query, 1))[0]));
  EXPECT_EQ(std::get<QueryStatus>(owner.answer(std::span(&query, 1))[0]), QueryStatus::budget);
  EXPECT_EQ(owner.refusals(std::span(&query, 1))[0], QueryStatus::budget);
}

// What a prepaid run grants beside its ratios is composed with them, and other questions have no more than that.
TEST(BatchRatios, other_queries_are_answered_from_what_is_granted_beside_a_prepaid_run) {
  Budget budget(Epsilon(2), Delta(1e-6));
  TestEntropy entropy(1);
  Rows rows = rows_of(values_on_the_line(50));
  const BatchRatioPlan plan{.batch = 5, .tau = 1000, .count = 3, .others = Rho(0.01)};
  Measure measure = measure_batch_ratios(rows, {model_on_the_line()}, plan, budget);
  DataOwner owner(std::move(rows), std::move(measure), 1, budget, entropy,
                  std::make_unique<DiscreteGaussianMechanism>(entropy));
  const double due =
      upper_epsilon(batch_ratio_run(plan, 50), Adjacency::substitute, Delta(1e-6), BoundKind::rdp);
  EXPECT_GT(due, 1.1 * upper_epsilon(batch_ratio_event(1000, 5, 50, 3), Adjacency::substitute, Delta(1e-6),
                                     BoundKind::rdp));
  EXPECT_NEAR(budget.spent_epsilon(Delta(1e-6)).value(), due, 1e-8);
  EXPECT_GE(budget.spent_epsilon(Delta(1e-6)).value(), due);
  const Query gradient = GradientQuery{Position::Zero(1), Rho(0.006)};
  EXPECT_FALSE(std::holds_alternative<QueryStatus>(owner.answer(std::span(&gradient, 1))[0]));
  EXPECT_EQ(std::get<QueryStatus>(owner.answer(std::span(&gradient, 1))[0]), QueryStatus::budget);
}

TEST(BatchRatios, a_run_beyond_the_budget_is_refused_before_it_starts) {
  Budget budget(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  EXPECT_THROW(
      (void)measure_batch_ratios(rows_of(values_on_the_line(50)), {model_on_the_line()}, {5, 0.1, 3}, budget),
      Error);
  EXPECT_TRUE(budget.entries().empty());
}

TEST(BatchRatios, other_queries_are_errors_and_the_budget_is_kept) {
  Budget budget(Epsilon(0.1), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(measure_batch_ratios(rows_of({0.1, 0.2, 0.3}), {model_on_the_line()}, 2), budget, entropy);
  const Query gradient = GradientQuery{Position::Zero(1), Rho(1)};
  EXPECT_THROW((void)owner.answer(std::span(&gradient, 1)), Error);
  const Query dear = RatioQuery{Position::Zero(1), Position::Ones(1), Rho(1)};
  EXPECT_EQ(std::get<QueryStatus>(owner.answer(std::span(&dear, 1))[0]), QueryStatus::budget);
  EXPECT_EQ(owner.refusals(std::span(&dear, 1))[0], QueryStatus::budget);
  EXPECT_EQ(budget.spent().value(), 0);
}

}  // namespace
}  // namespace sotto
