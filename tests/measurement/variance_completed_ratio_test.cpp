#include "sotto/measurement/variance_completed_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

using Integer = GaussianNoise::Integer;

double size(Integer x) { return static_cast<double>(x < 0 ? Integer(-x) : x); }

TEST(VarianceCompletedRatio, center_and_variance_match_the_formula) {
  const VarianceCompletedPlan plan{50, 3, std::int64_t{1} << 35};
  const std::vector<std::int64_t> changes = {std::int64_t{3} << 33, -(std::int64_t{1} << 34), 12345};
  const double r[] = {3 * 0x1p-7, -0x1p-6, 12345 * 0x1p-40};
  const double sum = r[0] + r[1] + r[2];
  const double squares = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  const double weight = 50 / 3.0;
  EXPECT_NEAR(static_cast<double>(variance_completed_center(plan, changes)) * kLogDensityGrid, weight * sum,
              1e-11);
  EXPECT_NEAR(static_cast<double>(variance_completed_variance(plan, changes)) * 0x1p-80,
              2 - weight * (weight - 1) * (squares - sum * sum / 3), 1e-12);
}

// Every exchange of one row within random batches and at the corners of the range keeps to what the proof uses; and it is
// nearly attained.
TEST(VarianceCompletedRatio, no_exchange_moves_more_than_stated) {
  ChainRng rng(1);
  for (const auto& [batch, rows] :
       std::vector<std::pair<std::size_t, std::size_t>>{{2, 9}, {5, 400}, {20, 4000}, {40, 40}}) {
    for (const double share : {1.0, 0.3}) {
      const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(rows, batch, share);
      const double s =
          static_cast<double>(plan.bound) * static_cast<double>(rows) / static_cast<double>(batch);
      const double least =
          0x1p81 - s * s * static_cast<double>(batch) * (1 + 1e-12);  // (2 - (bound n/b)^2 b g^2) / g^2
      EXPECT_GE(least, 0x1p80 * (1 - 1e-11));
      double seen_center = 0;
      double seen_variance = 0;
      const auto value = [&] {  // often at an end of the range
        const auto kind = rng.below(4);
        if (kind == 0) return -plan.bound;
        if (kind == 1) return plan.bound;
        return static_cast<std::int64_t>((2 * rng.uniform() - 1) * static_cast<double>(plan.bound));
      };
      for (int trial = 0; trial < 4000; ++trial) {
        std::vector<std::int64_t> changes(batch);
        const bool alike = rng.below(2) == 0;
        const std::int64_t common = value();
        for (auto& change : changes) change = alike ? common : value();
        const Integer before = variance_completed_variance(plan, changes);
        const Int128 center = variance_completed_center(plan, changes);
        changes[0] = value();
        const Integer after = variance_completed_variance(plan, changes);
        const Int128 moved = variance_completed_center(plan, changes) - center;
        const double change = size(after - before);
        ASSERT_LE(static_cast<double>(moved < 0 ? -moved : moved), plan.noise(before).sensitivity);
        ASSERT_LE(change, 4 * s * s + 1);
        ASSERT_GE(static_cast<double>(after), least);
        ASSERT_LE(static_cast<double>(after), 0x1p81);
        seen_center = std::max(seen_center, static_cast<double>(moved < 0 ? -moved : moved));
        seen_variance = std::max(seen_variance, change);
      }
      EXPECT_GT(seen_center, 0.99 * 2 * s);
      const double b = static_cast<double>(batch);
      const double n = static_cast<double>(rows);
      EXPECT_GE(seen_variance, 0.9 * 4 * s * s * (1 - b / n) * (1 - 1 / b) * (b - 1) / b);
    }
  }
}

TEST(VarianceCompletedRatio, a_receipt_holds_what_the_dearest_release_is_worth) {
  const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(400, 5, 1);
  const std::vector<std::int64_t> apart = {plan.bound, -plan.bound, plan.bound, -plan.bound, 0};
  const std::vector<std::int64_t> alike(5, plan.bound);
  const Charge due = plan.charge();
  for (const auto& changes : {apart, alike}) {
    const Charge worth = plan.noise(variance_completed_variance(plan, changes)).charge("");
    EXPECT_GE(due.rho, worth.rho);
    EXPECT_GE(due.slack, worth.slack);
  }
}

TEST(VarianceCompletedRatio, plans_that_cannot_be_are_refused) {
  EXPECT_THROW((void)VarianceCompletedPlan::for_share(10, 11, 1), Error);
  EXPECT_THROW((void)VarianceCompletedPlan::for_share(10, 0, 1), Error);
  EXPECT_THROW((void)VarianceCompletedPlan::for_share(10, 5, 1.1), Error);
  EXPECT_THROW((void)VarianceCompletedPlan::for_share(100000, 50, 1e-7), Error);
  EXPECT_NO_THROW(
      (void)VarianceCompletedPlan::for_share(100000, 50, VarianceCompletedPlan::least_share(100000, 50)));
}

// What the accountant is told.
TEST(VarianceCompletedRatio, is_priced_as_it_is_drawn) {
  const VarianceCompletedPlan plan = VarianceCompletedPlan::for_share(100, 25, 0.5);
  const Event run = plan.event(7);
  EXPECT_EQ(std::get<VarianceCompletedBarkerEvent>(run.mechanism),
            (VarianceCompletedBarkerEvent{100, 25, static_cast<double>(plan.bound) * kLogDensityGrid}));
  EXPECT_EQ(run.count, 7u);
}

}  // namespace
}  // namespace sotto
