// What clips take off some rows and not others, against an oracle with continuous noise.
#include "sotto/posterior/remainder.hpp"

#include <gtest/gtest.h>

#include "support/oracle_study.hpp"
#include "support/regression_designs.hpp"

namespace sotto {
namespace {

// Without the remainder the group's effect is 6 to 13 posterior standard deviations off in nine of ten data sets, in silence.
TEST(Remainder, effects_of_a_group_whose_counts_vary_more_are_near_or_told) {
  double squares = 0;
  int told = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ChainRng rng(seed);
    const SimulatedRegression data = designs::dispersed_in_group(20000, 0.2, false, rng);
    const OnceOutcome outcome = study_by_oracle(data, kRho, seed);
    const auto& uneven = outcome.verdict.uneven;
    if (uneven.size() == 1 && uneven.front().column == 4) ++told;
    squares += outcome.farthest * outcome.farthest / 10;
  }
  EXPECT_LT(squares, 9);  // the mean square of the largest of five standard normals is 3
  EXPECT_GE(told, 5);
}

// With ten times the budget, whatever the noise hid is seen.
TEST(Remainder, effects_of_a_group_with_skewed_errors_are_near) {
  double squares = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ChainRng rng(seed);
    const SimulatedRegression data = designs::skewed_in_group(20000, 0.1, 1, rng);
    const OnceOutcome outcome = study_by_oracle(data, 10 * kRho, seed);
    squares += outcome.farthest * outcome.farthest / 10;
  }
  EXPECT_LT(squares, 9);
}

// A wider clip takes off nearly as much of long tails: that little more comes in does not say that there is nothing. The mean of four has a
// standard deviation of about .12; where the answer was taken for the same share of what is taken off whatever the law, it was about -2.
TEST(Remainder, tails_that_all_rows_have_stay_where_histograms_see_them) {
  double moved = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    ChainRng rng(seed);
    const SimulatedRegression data = designs::log_normal_counts(20000, 1.2, rng);
    moved += study_by_oracle(data, kRho, seed).release.remainder.moved[0] / 4;
  }
  EXPECT_NEAR(moved, 0, 0.6);
}

// One column of 5 in 24 data sets moved by more than its standard deviation: a chance below 1e-3 each if the noise is right.
TEST(Remainder, little_is_moved_where_the_model_holds) {
  for (const char* name : {"normal, |y| <= 100", "Poisson, mean 2"}) {
    for (const RegressionDesign& design : regression_designs()) {
      if (design.name != name) continue;
      double wider = 0;
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        ChainRng rng(seed);
        const OnceOutcome outcome = study_by_oracle(design.simulate(20000, rng), kRho, seed);
        EXPECT_TRUE(outcome.verdict.uneven.empty()) << name << ' ' << seed;
        wider += outcome.release.remainder.wider.mean() / 12;
      }
      EXPECT_LT(wider, 1.06) << name;
    }
  }
}

}  // namespace
}  // namespace sotto
