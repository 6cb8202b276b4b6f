#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "sotto/accountant/filter/concentrated_filter.hpp"
#include "sotto/accountant/filter/renyi_filter.hpp"
#include "sotto/accountant/rdp/renyi.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"
#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/ledger/budget.hpp"

namespace sotto {
namespace {

Charge charge(double rho, double slack = 0) { return {"query", "mechanism", Rho(rho), slack}; }

TEST(Filter, gaussian_budget_is_spent_to_its_limit_and_no_further) {
  Budget budget(Epsilon(1), Delta(1e-6));
  const double limit = gaussian_rho(Epsilon(1 - kSlackShare), Delta(1e-6)).value();
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(budget.spend(charge(limit / 10)));
  EXPECT_FALSE(budget.spend(charge(limit / 5)));
  EXPECT_TRUE(budget.spend(charge(limit / 10.0001)));
  EXPECT_FALSE(budget.spend(charge(limit / 10)));
  EXPECT_LE(budget.spent_epsilon(Delta(1e-6)).value(), 1);
}

TEST(Filter, slack_has_a_limit_of_its_own) {
  Budget budget(Epsilon(1), Delta(1e-6));
  const double before = budget.left().value();
  EXPECT_TRUE(budget.spend(charge(0.001, 0.6 * kSlackShare)));
  EXPECT_FALSE(budget.spend(charge(0.001, 0.6 * kSlackShare)));
  EXPECT_TRUE(budget.spend(charge(0.001, 0.3 * kSlackShare)));
  EXPECT_NEAR(budget.left().value(), before - 0.002, 1e-15);  // slack takes nothing from the cost's limit
}

// Discrete noise costs what continuous noise does, and the slack beside it.
TEST(Filter, what_is_spent_is_stated_with_its_slack) {
  const double slack = 0.8 * kSlackShare;
  Budget budget(Epsilon(1), Delta(1e-6));
  EXPECT_TRUE(budget.spend(charge(0.003, slack / 2)));
  EXPECT_TRUE(budget.spend(charge(0.004, slack / 2)));
  for (const double delta : {1e-9, 1e-6, 1e-3}) {
    EXPECT_GE(budget.spent_epsilon(Delta(delta)).value(),
              gaussian_epsilon(Rho(0.007), Delta(delta)).value() + slack * (1 - 1e-9));
  }
  const Spending discrete{.epsilon = Epsilon(1), .delta = Delta(1e-6), .rho = Rho(0.007), .slack = 0.5};
  EXPECT_GE(discrete.spent_epsilon(Delta(1e-6)).value(),
            gaussian_epsilon(Rho(0.007), Delta(1e-6)).value() + 0.5);
}

TEST(Filter, the_books_stay_short_and_never_understate) {
  Budget budget(Epsilon(50), Delta(1e-6));
  for (int i = 1; i <= 1000; ++i) ASSERT_TRUE(budget.spend(charge(1e-6 * i)));
  EXPECT_LE(budget.entries().size(), kMostLines);
  double total = 0;
  std::size_t count = 0;
  for (const LedgerEntry& entry : budget.entries()) {
    total += static_cast<double>(entry.count) * entry.charge.rho.value();
    count += entry.count;
  }
  EXPECT_EQ(count, 1000U);
  EXPECT_GE(total * (1 + 1e-9), budget.spent().value());
}

TEST(Filter, refuses_what_is_not_a_cost) {
  Budget budget(Epsilon(1), Delta(1e-6));
  EXPECT_FALSE(budget.spend(charge(HUGE_VAL)));
  EXPECT_FALSE(budget.spend(charge(0.001, std::nan(""))));
  EXPECT_FALSE(budget.spend(charge(0.001, -1)));
  EXPECT_FALSE(budget.spend(charge(0.001, HUGE_VAL)));
  EXPECT_FALSE(budget.spend(charge(std::numeric_limits<double>::max())));
  EXPECT_EQ(budget.spent().value(), 0);
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(budget.spend(charge(0.001)));
  EXPECT_TRUE(budget.spend(charge(tiny)));
  EXPECT_GT(budget.spent().value(), std::nextafter(0.001, 1));
}

TEST(Filter, concentrated_filter_fails_closed) {
  ConcentratedFilter filter(Epsilon(1), Delta(1e-6));
  EXPECT_LE(concentrated_epsilon(filter.limit().value(), 1e-6), 1);
  EXPECT_GT(concentrated_epsilon(filter.limit().value() * 1.000001, 1e-6), 1);
  EXPECT_LT(filter.limit().value(), gaussian_rho(Epsilon(1), Delta(1e-6)).value());
  for (const double bad : {std::nan(""), -1e-9, HUGE_VAL, std::numeric_limits<double>::max()}) {
    EXPECT_FALSE(filter.spend(bad));
  }
  EXPECT_EQ(filter.spent().value(), 0);
  EXPECT_TRUE(filter.spend(filter.limit().value() * 0.6));
  const double before = filter.spent().value();
  EXPECT_TRUE(filter.spend(std::numeric_limits<double>::denorm_min()));
  EXPECT_GT(filter.spent().value(), before);
  EXPECT_FALSE(filter.spend(filter.limit().value() * 0.6));
  EXPECT_LE(filter.spent_epsilon(Delta(1e-6)).value(), 1);
}

TEST(Filter, renyi_filter_fails_closed) {
  const Event step{GaussianEvent{1, 10}};
  RenyiFilter filter = RenyiFilter::for_event(Epsilon(1), Delta(1e-6), step, Adjacency::substitute);
  const double cost = renyi_cost(step, Adjacency::substitute, filter.order());
  for (const double bad : {std::nan(""), -1e-9, -HUGE_VAL, HUGE_VAL, std::numeric_limits<double>::max()}) {
    EXPECT_FALSE(filter.spend(bad));
  }
  EXPECT_TRUE(filter.spend(0));
  EXPECT_EQ(filter.spent(), 0);
  int granted = 0;
  while (filter.spend(cost)) ++granted;
  // No more than the tight accountant allows, and not far from it.
  EXPECT_EQ(granted, 4);
  EXPECT_LE(filter.spent_epsilon(Delta(1e-6)).value(), 1);
  EXPECT_LE(renyi_epsilon({step.mechanism, 4}, Adjacency::substitute, 1e-6), 1);
  // Subnormal charges are not free.
  const double before = filter.spent();
  EXPECT_TRUE(filter.spend(std::numeric_limits<double>::denorm_min()));
  EXPECT_GT(filter.spent(), before);
  // Nothing passes at this order: nothing is granted, not even for nothing.
  RenyiFilter closed(Epsilon(0.001), Delta(1e-9), 2);
  EXPECT_LT(closed.limit(), 0);
  EXPECT_FALSE(closed.spend(0));
  EXPECT_FALSE(closed.spend(std::numeric_limits<double>::denorm_min()));
  EXPECT_THROW(RenyiFilter(Epsilon(1), Delta(0), 8), Error);
  EXPECT_THROW(RenyiFilter(Epsilon(HUGE_VAL), Delta(0.1), 8), Error);
  EXPECT_THROW(RenyiFilter(Epsilon(1), Delta(0.1), 1), Error);
  EXPECT_THROW(RenyiFilter(Epsilon(1), Delta(0.1), std::nan("")), Error);
}

// Against the formula to 50 digits: its terms may be far larger than what they leave.
TEST(Filter, renyi_limit_is_rounded_down) {
  using Exact = boost::multiprecision::cpp_bin_float_50;
  int limits = 0;
  for (const double epsilon : {0.01, 0.3, 1.0, 5.0, 200.0, 1e6}) {
    for (const double delta : {1e-300, 1e-12, 1e-6, 0.1}) {
      for (const double order : {1.0001, 1.02, 1.5, 2.0, 7.0, 33.0, 1000.0, 1e6, 1e12}) {
        const Exact a = order;
        const Exact limit = epsilon - log((a - 1) / a) + log(delta * a) / (a - 1);
        const double granted = RenyiFilter(Epsilon(epsilon), Delta(delta), order).limit();
        EXPECT_LE(granted, limit) << epsilon << ' ' << delta << ' ' << order;
        const Exact largest = epsilon + abs(log(delta * a)) / (a - 1) + abs(log((a - 1) / a));
        EXPECT_GE(granted, limit - 1e-12 * largest) << epsilon << ' ' << delta << ' ' << order;
        limits += granted > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(limits, 100);
}

TEST(Filter, every_limit_is_within_the_promise) {
  for (const double epsilon : {1e-3, 0.3, 5.0, 200.0}) {
    for (const double delta : {1e-300, 1e-12, 0.1}) {
      for (const double order : {1.0001, 1.5, 7.0, 1e6}) {
        const RenyiFilter filter(Epsilon(epsilon), Delta(delta), order);
        if (filter.limit() < 0) continue;
        RenyiFilter full = filter;
        EXPECT_TRUE(full.spend(filter.limit() * (1 - 1e-12)));
        EXPECT_LE(full.spent_epsilon(Delta(delta)).value(), epsilon * (1 + 1e-9));
      }
    }
  }
}

}  // namespace
}  // namespace sotto
