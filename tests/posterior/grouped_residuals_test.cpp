// Levels whose responses vary otherwise than the others', against an oracle with continuous noise.
#include "sotto/posterior/grouped_residuals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/oracle_study.hpp"
#include "support/regression_designs.hpp"

namespace sotto {
namespace {

// At epsilon 1. Without histograms by group the level's effect is 3 to 7 posterior standard deviations off, mostly in silence.
TEST(GroupedResiduals, a_level_with_longer_tails_is_found) {
  double squares = 0;
  int told = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    ChainRng rng(seed);
    const SimulatedRegression data = designs::skewed_in_group(20000, 0.1, 1, rng);
    const OnceOutcome outcome = study_by_oracle(data, kRho, seed);
    const auto& uneven = outcome.verdict.uneven;
    if (uneven.size() == 1 && uneven.front().column == 3) ++told;
    squares += outcome.farthest * outcome.farthest / 8;
  }
  EXPECT_LT(squares, 5);  // the mean square of the largest of four standard normals is 2.7
  EXPECT_GE(told, 6);
}

// Responses that are mostly zero follow none of the laws, and some say that they cannot be.
TEST(GroupedResiduals, no_law_fits_is_no_answer_of_nan) {
  for (const RegressionDesign& design : regression_designs()) {
    if (design.name != "three quarters zeros") continue;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      ChainRng rng(seed);
      const OnceOutcome outcome = study_by_oracle(design.simulate(20000, rng), kRho, seed);
      EXPECT_TRUE(std::isfinite(outcome.sd_ratio)) << seed;
      EXPECT_TRUE(outcome.release.pooled.score.allFinite()) << seed;
    }
  }
}

// Long tails that all rows have are not a level's own. One coefficient in 40 moved by more than its standard deviation: a chance below 1e-3.
TEST(GroupedResiduals, alike_levels_are_left_alone) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    ChainRng rng(seed);
    const OnceOutcome counts = study_by_oracle(designs::log_normal_counts(20000, 1.2, rng), kRho, seed);
    const Position moved = counts.release.remainder.moved;
    EXPECT_LT(moved.tail(moved.size() - 1).cwiseAbs().maxCoeff(), 1.2) << seed;
  }
}

}  // namespace
}  // namespace sotto
