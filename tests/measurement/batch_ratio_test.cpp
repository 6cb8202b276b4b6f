#include "sotto/measurement/batch_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

TEST(BatchRatio, statistic_matches_the_formula) {
  const std::vector<std::int64_t> changes = {std::int64_t{3} << 38, -(std::int64_t{1} << 39), 12345};
  const double r[] = {0.75, -0.5, 12345 * 0x1p-40};
  const double sum = r[0] + r[1] + r[2];
  const double squares = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  const double weight = 50 / 3.0;
  const double expected = weight * sum - weight * (weight - 1) * (squares - sum * sum / 3) / 2;
  EXPECT_NEAR(static_cast<double>(batch_statistic(changes, 50)) * kLogDensityGrid, expected, 1e-9);
}

// Every exchange of one row within random batches, and the corners of the range, stay within the sensitivity; and the
// sensitivity is attained to within a few steps (a coarse range shows it), so it is no larger than it must be.
TEST(BatchRatio, sensitivity_bounds_every_exchange) {
  ChainRng rng(1);
  for (const auto& [batch, rows] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 7}, {2, 9}, {5, 40}, {20, 400}}) {
    for (const double reach : {1e-3, 0.02, 0.4}) {
      const auto range = contribution_range({-reach, 0.7 * reach});
      ASSERT_TRUE(range);
      const double bound = batch_sensitivity(*range, batch, rows);
      double seen = 0;
      const auto value = [&] {  // often at an end of the range
        const auto kind = rng.below(4);
        if (kind == 0) return range->lower;
        if (kind == 1) return range->upper;
        return range->lower +
               static_cast<std::int64_t>(rng.uniform() * static_cast<double>(range->upper - range->lower));
      };
      for (int trial = 0; trial < 4000; ++trial) {
        std::vector<std::int64_t> changes(batch);
        const bool alike = rng.below(2) == 0;
        const std::int64_t common = value();
        for (auto& change : changes) change = alike ? common : value();
        const Int128 before = batch_statistic(changes, rows);
        changes[0] = value();
        const Int128 after = batch_statistic(changes, rows);
        const auto moved = static_cast<double>(after > before ? after - before : before - after);
        ASSERT_LE(moved, bound);
        seen = std::max(seen, moved);
        changes[0] = value();
        const Int128 again = batch_statistic(changes, rows);
        const auto also = static_cast<double>(after > again ? after - again : again - after);
        ASSERT_LE(also, bound);
        seen = std::max(seen, also);
      }
      EXPECT_GT(seen, 0.95 * bound) << batch << ' ' << rows << ' ' << reach;
    }
  }
}

// Lemma 1 of the thesis with its erratum: with |r| <= L, half the variance moves by at most
// (n/b)^2 ((1 - 1/b) / 2 + 2 (b - 1) / b) L^2, and the mean by 2 (n/b) L.
TEST(BatchRatio, sensitivity_is_within_the_lemma) {
  for (const double reach : {0.01, 0.2}) {
    const auto range = contribution_range({-reach, reach});
    const double b = 10;
    const double weight = 100 / b;
    const double lemma =
        2 * weight * reach + weight * weight * (0.5 * (1 - 1 / b) + 2 * (b - 1) / b) * reach * reach;
    EXPECT_LE(batch_sensitivity(*range, 10, 100) * kLogDensityGrid, lemma * (1 + 1e-5) + 1e-8);
  }
}

TEST(BatchRatio, add_remove_is_refused) {
  const auto range = contribution_range({-1, 1});
  EXPECT_THROW(
      (void)batch_ratio_noise(*range, 2, 10, PrivacyUnit{.adjacency = Adjacency::add_remove}, Rho(1)), Error);
  EXPECT_THROW((void)batch_ratio_noise(*range, 2, 10, PrivacyUnit{.rows_per_unit = 2}, Rho(1)), Error);
  EXPECT_THROW((void)batch_ratio_noise(*range, 2, 10, PrivacyUnit{.is_row = false}, Rho(1)), Error);
}

// What the accountant is told.
TEST(BatchRatio, is_priced_as_it_is_drawn) {
  const Event run = batch_ratio_event(2, 25, 100, 7);
  EXPECT_EQ(std::get<SubsampledPenaltyEvent>(run.mechanism),
            (SubsampledPenaltyEvent{.tau = 2, .rate = 0.25}));
  EXPECT_EQ(run.count, 7u);
}

}  // namespace
}  // namespace sotto
