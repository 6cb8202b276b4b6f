#include "sotto/measurement/variance_completed_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/accountant/account.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/one_dimension.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

RatioQuery between(double from, double to) {
  return {Position::Constant(1, from), Position::Constant(1, to), Rho(0), std::sqrt(2.0)};
}

double ratio_of(const std::vector<double>& values, double from, double to) {
  double sum = 0;
  for (const double x : values) sum += (to - from) * (x - (from + to) / 2);
  return sum;
}

// Over many batches the release has the ratio's mean and variance 2, of which the batches' part is a fifth here. 4,000
// batches: standard error 1.6 % of the sd for the mean, 2.2 % of the variance; bands of five.
TEST(VarianceCompletedRatios, batch_and_noise_have_variance_two_together) {
  constexpr std::size_t kBatches = 4000;
  const auto values = values_on_the_line(200);
  const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(200, 100, 1);  // rows within 0.05
  Budget budget(Epsilon(1e6), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(measure_variance_completed_ratios(rows_of(values), {model_on_the_line(), PrivacyUnit{}},
                                                    plan, kBatches, budget),
                  budget, entropy);
  const Query query = between(0.395, 0.405);
  const double exact = ratio_of(values, 0.395, 0.405);
  double mean = 0;
  double spread = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const auto released = std::get<Released<NoisyRatio>>(owner.answer(std::span(&query, 1))[0]).value();
    EXPECT_EQ(released.variance, 2);
    mean += released.value / kBatches;
    spread += (released.value - exact) * (released.value - exact) / kBatches;
  }
  EXPECT_NEAR(mean, exact, 5 * std::sqrt(2.0 / kBatches));
  EXPECT_NEAR(spread / 2, 1, 5 * std::sqrt(2.0 / kBatches));
  EXPECT_EQ(std::get<QueryStatus>(owner.answer(std::span(&query, 1))[0]), QueryStatus::budget);
}

TEST(VarianceCompletedRatios, a_run_costs_what_its_event_costs_before_the_first_query) {
  const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(50, 10, 0.5);
  Budget budget(Epsilon(5), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(measure_variance_completed_ratios(rows_of(values_on_the_line(50)),
                                                    {model_on_the_line(), PrivacyUnit{}}, plan, 3, budget),
                  budget, entropy);
  const double due = upper_epsilon(plan.event(3), Adjacency::substitute, Delta(1e-6), BoundKind::rdp);
  EXPECT_GE(budget.spent_epsilon(Delta(1e-6)).value(), due);
  EXPECT_NEAR(budget.spent_epsilon(Delta(1e-6)).value(), due, 1e-8);
}

// The bound is on what a row's ratio may be: positions alone decide, both ways round, before a row is read.
TEST(VarianceCompletedRatios, moves_that_may_pass_the_bound_are_refused) {
  const VarianceCompletedPlan plan =
      VarianceCompletedPlan::for_share(50, 10, 1);  // rows within 0.063, values within 3
  Budget budget(Epsilon(50), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(measure_variance_completed_ratios(rows_of(std::vector<double>(50, 0)),
                                                    {model_on_the_line(), PrivacyUnit{}}, plan, 3, budget),
                  budget, entropy);
  for (const auto& far : {between(0, 0.03), between(0.03, 0)}) {
    const Query query = far;
    EXPECT_EQ(std::get<QueryStatus>(owner.answer(std::span(&query, 1))[0]), QueryStatus::out_of_range);
    EXPECT_EQ(owner.refusals(std::span(&query, 1))[0], QueryStatus::out_of_range);
  }
  const std::vector<Query> near(4, between(0, 0.01));
  const auto refusals = owner.refusals(near);
  EXPECT_FALSE(refusals[2]);
  EXPECT_EQ(refusals[3], QueryStatus::budget);
  const auto answers = owner.answer(near);
  EXPECT_FALSE(std::holds_alternative<QueryStatus>(answers[2]));
  EXPECT_EQ(std::get<QueryStatus>(answers[3]), QueryStatus::budget);
}

// The gain of a batch is that of its share of these rows.
TEST(VarianceCompletedRatios, a_plan_for_another_number_of_rows_is_refused) {
  const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(50, 10, 1);
  for (const std::size_t rows : {49, 51}) {
    Budget budget(Epsilon(50), Delta(1e-6));
    EXPECT_THROW(
        (void)measure_variance_completed_ratios(rows_of(std::vector<double>(rows, 0)),
                                                {model_on_the_line(), PrivacyUnit{}}, plan, 3, budget),
        Error);
    EXPECT_TRUE(budget.entries().empty());
  }
}

TEST(VarianceCompletedRatios, what_is_not_proven_is_refused) {
  const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(50, 10, 1);
  TestEntropy entropy(1);
  const auto open = [&](const PrivacyUnit& unit, double epsilon) {
    Budget budget{Epsilon(epsilon), Delta(1e-6)};
    DataOwner owner(measure_variance_completed_ratios(rows_of(std::vector<double>(50, 0)),
                                                      {model_on_the_line(), unit}, plan, 3, budget),
                    budget, entropy);
    const Query gradient = GradientQuery{Position::Zero(1), Rho(1)};
    EXPECT_THROW((void)owner.answer(std::span(&gradient, 1)), Error);
    RatioQuery other = between(0, 0.01);
    other.noise_sd = 1;
    const Query quiet = other;
    EXPECT_THROW((void)owner.answer(std::span(&quiet, 1)), Error);
  };
  EXPECT_NO_THROW(open(PrivacyUnit{}, 50));
  EXPECT_THROW(open(PrivacyUnit{.adjacency = Adjacency::add_remove}, 50), Error);
  EXPECT_THROW(open(PrivacyUnit{.rows_per_unit = 2}, 50), Error);
  EXPECT_THROW(open(PrivacyUnit{.is_row = false}, 50), Error);
  EXPECT_THROW(open(PrivacyUnit{}, 0.1), Error);
}

}  // namespace
}  // namespace sotto
