// Coverage and width of release-once posteriors, a reduced version of experiments/release_once_coverage.cpp.
#include <gtest/gtest.h>

#include "support/once_study.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

struct Case {
  OnceCell cell;
  int data_sets;
  double least_coverage, largest_ratio;
};

// Noise is seeded here, so a verdict is repeatable. Over random seeds the standard error of a coverage of 0.90 is about
// 0.3 / sqrt(data sets) for strongly dependent coefficients, less otherwise: a bound of 0.90 -+ 4.5 such errors would fail
// a right program with probability below 1e-5.
TEST(ReleaseOnce, covers_and_is_narrow) {
  const Case cases[] = {{{20000, 10, 1}, 50, 0.84, 1.12},
                        {{20000, 5, 1}, 50, 0.84, 1.08},
                        {{20000, 5, 1, 1e-6, Adjacency::add_remove}, 30, 0.82, 1.06},
                        {{2000, 4, 1}, 60, 0.84, 2.2}};
  std::uint64_t seed = 40;
  for (const Case& one : cases) {
    TestEntropy entropy(++seed);
    ChainRng rng(++seed);
    const OnceStudy study;
    double covered = 0;
    double ratio = 0;
    for (int i = 0; i < one.data_sets; ++i) {
      const OnceOutcome outcome = study.run(one.cell, rng, entropy);
      covered += outcome.covered / one.data_sets;
      ratio += outcome.sd_ratio / one.data_sets;
    }
    EXPECT_GT(covered, one.least_coverage) << one.cell.rows << " rows, d = " << one.cell.dim;
    EXPECT_LT(covered, 0.96);
    EXPECT_LT(ratio, one.largest_ratio);
    EXPECT_GT(ratio, 1);
  }
}

}  // namespace
}  // namespace sotto
