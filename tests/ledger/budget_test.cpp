#include "sotto/ledger/budget.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace sotto {
namespace {

Charge charge(double rho, double slack = 0) {
  return {.query = "q", .mechanism = "m", .rho = Rho(rho), .slack = slack};
}

TEST(Budget, grants_to_its_limit_and_no_further) {
  Budget budget(Epsilon(1), Delta(1e-6));
  const double limit = budget.left().value();
  EXPECT_TRUE(budget.spend(charge(0.6 * limit)));
  EXPECT_FALSE(budget.spend(charge(0.4000001 * limit)));
  EXPECT_TRUE(budget.spend(charge(0.3999999 * limit)));
  EXPECT_FALSE(budget.spend(charge(1e-6 * limit)));
  EXPECT_LE(budget.spent_epsilon(Delta(1e-6)).value(), 1);
}

TEST(Budget, what_is_no_number_is_refused_and_changes_nothing) {
  Budget budget(Epsilon(1), Delta(1e-6));
  for (const double bad : {std::numeric_limits<double>::infinity(), 1e308}) {
    EXPECT_FALSE(budget.spend(charge(bad)));
    EXPECT_FALSE(budget.spend(charge(1e-9, bad)));
  }
  EXPECT_FALSE(budget.spend(charge(1e-9, std::nan(""))));
  EXPECT_FALSE(budget.spend(charge(1e-9, -1e-9)));
  EXPECT_EQ(budget.spent().value(), 0);
  EXPECT_EQ(budget.slack(), 0);
}

// The promise is the filter's: its limits are constants, whatever was spent.
TEST(Budget, the_limit_of_slack_is_a_constant) {
  Budget budget(Epsilon(2), Delta(1e-6));
  const double before = budget.spending().limit_slack;
  EXPECT_TRUE(budget.spend(charge(1e-3, 1e-9)));
  EXPECT_EQ(budget.spending().limit_slack, before);
  EXPECT_EQ(before, 2 * kSlackShare);
  EXPECT_FALSE(budget.spend(charge(1e-3, before)));
}

TEST(Budget, grants_books_nothing) {
  Budget budget(Epsilon(1), Delta(1e-6));
  const double limit = budget.left().value();
  const Charge charges[] = {charge(0.7 * limit), charge(0.7 * limit), charge(0.2 * limit)};
  const std::vector<bool> granted = budget.grants(charges);
  EXPECT_TRUE(granted[0]);
  EXPECT_FALSE(granted[1]);
  EXPECT_TRUE(granted[2]);
  EXPECT_EQ(budget.spent().value(), 0);
}

// Whatever is asked, the books stay below the limit that gives epsilon at delta; and they can be spent up to it.
TEST(Budget, what_it_grants_in_all_is_within_the_promise) {
  for (const double epsilon : {0.01, 1.0, 20.0}) {
    for (const double delta : {1e-12, 1e-6, 0.01}) {
      Budget budget{Epsilon(epsilon), Delta(delta)};
      EXPECT_TRUE(
          budget.spend(charge(budget.left().value() * (1 - 1e-12), epsilon * kSlackShare * (1 - 1e-12))));
      for (int i = 0; i < 100; ++i) (void)budget.spend(charge(1e-5 * budget.spent().value()));
      EXPECT_LE(budget.spent_epsilon(Delta(delta)).value(), epsilon);
      EXPECT_GT(budget.spent_epsilon(Delta(delta)).value(), 0.999 * epsilon);
    }
  }
}

// Releases that were priced together: their epsilon holds at the books' delta, and all slack comes on top.
TEST(Budget, a_composition_counts_its_slack_and_holds_at_its_delta_only) {
  Budget budget(Epsilon(1), Delta(1e-6));
  ASSERT_TRUE(budget.precompose(charge(1, 1e-3), 10, Epsilon(0.5), Rho(0.1)));
  EXPECT_GE(budget.spent_epsilon(Delta(1e-6)).value(), 0.51);
  ASSERT_TRUE(budget.spend(charge(0.05, 0.02)));
  EXPECT_GE(budget.spent_epsilon(Delta(1e-6)).value(), 0.53);
  EXPECT_LE(budget.spent_epsilon(Delta(1e-6)).value(), 0.5301);
  EXPECT_EQ(budget.spent_epsilon(Delta(1e-7)).value(), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(budget.spend(charge(0.06))) << "beyond what was composed with the batches";
  EXPECT_FALSE(budget.spend(charge(0.01, 0.48))) << "beyond epsilon";
}

static_assert(!std::is_copy_constructible_v<PrecomposedBudget> &&
              !std::is_copy_assignable_v<PrecomposedBudget>);

TEST(Budget, what_was_booked_together_is_paid_out_once) {
  Budget budget(Epsilon(1), Delta(1e-6));
  auto booked = budget.precompose(charge(1), 3, Epsilon(0.5), Rho(0));
  ASSERT_TRUE(booked);
  EXPECT_TRUE(booked->take());
  PrecomposedBudget moved = std::move(*booked);
  EXPECT_EQ(moved.left(), 2U);
  EXPECT_FALSE(booked->take());
  EXPECT_TRUE(moved.take());
  EXPECT_TRUE(moved.take());
  EXPECT_FALSE(moved.take());
}

// Releases of one cost share a line, which then tells the largest slack of them.
TEST(Budget, the_books_never_show_less_slack_than_was_spent) {
  Budget budget(Epsilon(1), Delta(1e-6));
  ASSERT_TRUE(budget.spend(charge(1e-4, 1e-9)));
  ASSERT_TRUE(budget.spend(charge(1e-4, 1e-7)));
  double shown = 0;
  for (const LedgerEntry& entry : budget.entries())
    shown += static_cast<double>(entry.count) * entry.charge.slack;
  EXPECT_GE(shown * (1 + 1e-12), budget.slack());
}

}  // namespace
}  // namespace sotto
