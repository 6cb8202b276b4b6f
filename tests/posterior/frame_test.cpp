#include "sotto/posterior/frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/math/decomposition.hpp"
#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

struct Found {
  Frame frame;
  double spent;
  Position share;  ///< of rows with the upper value, of each column of two values
};

Found frame_of(const SimulatedRegression& data, std::uint64_t seed) {
  const OnceFacts facts = facts_of(data, Adjacency::substitute);
  RowOracle oracle(facts, data.x, data.y, Rho(kRho), seed);
  PaidQuestions questions(oracle, Rho(kRho));
  const Frame frame = find_frame(facts, *facts.rows, questions);
  const Matrix back = inverse(frame.matrix);
  Position mean = back * back.row(0).transpose();
  mean /= mean[0];
  return {frame, (kRho - oracle.left().value()) / kRho, mean};
}

// Of 20,000 rows 200 have the rarer value of one column. Noise on their number is 50 where it is counted; second moments left shares
// between 0 and .02, or the direction unresolved. Of 20 such frames none fails but for noise of 5 standard deviations.
TEST(Frame, a_rare_value_of_two_is_counted) {
  ChainRng rng(3);
  const SimulatedRegression data = designs::rare_indicator(20000, rng);
  const Eigen::Index rare = 4;
  const double share = data.x.col(rare).mean();
  ASSERT_NEAR(share, 0.01, 0.003);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Found found = frame_of(data, seed);
    EXPECT_TRUE(found.frame.resolved) << seed;
    EXPECT_NEAR(found.share[rare], share, 5 * 50 / 20000.) << seed;
    EXPECT_NEAR(found.share[3], 0.4, 0.05) << seed;
    EXPECT_GT(found.spent, 0.02) << seed;
  }
}

// Noise hides whether anybody has such a value: rows that do are no further out than the count allows, and no other direction is mixed
// with theirs. Left with the others, a declared level that no row has let three of ten fits of 40,000 rows end without an answer.
TEST(Frame, a_value_that_nobody_has_stays_apart) {
  ChainRng rng(4);
  RegressionBuilder builder(40000, rng);
  SimulatedRegression data = builder.factor({.98, .02}).factor({.6, .3, .1, 0}).covariates();
  data.y = Position::Zero(40000);
  const Eigen::Index unused = 4;
  ASSERT_EQ(data.x.col(unused).sum(), 0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Found found = frame_of(data, seed);
    EXPECT_TRUE(found.frame.resolved) << seed;
    EXPECT_NEAR(found.share[unused], 0, 5 * 0.0025) << seed;
    EXPECT_LT(found.frame.matrix.col(unused).norm(), 1.2 / std::sqrt(2 * 0.0025)) << seed;
  }
}

// Of many columns noise hides every direction in the first round, however they go together: all as one, or some in pairs. The longest
// direction over the shortest is 5.4 to 15 where directions alone are looked at.
TEST(Frame, many_columns_are_whitened_pair_by_pair) {
  const auto lengths = [](const SimulatedRegression& data, std::uint64_t seed) {
    const Matrix z = data.x * frame_of(data, seed).frame.matrix.transpose();
    const Spectrum spectrum(z.transpose() * z);
    return spectrum.values()[z.cols() - 1] / spectrum.values()[0];
  };
  ChainRng rng(5);
  const SimulatedRegression as_one = designs::correlated(20000, 40, .7, 4, rng);
  const SimulatedRegression in_pairs = designs::coded(20000, rng);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_LT(lengths(as_one, seed), 5) << seed;
    EXPECT_LT(lengths(in_pairs, seed), 5) << seed;
  }
}

// Nothing is asked of values that are not rare.
TEST(Frame, usual_columns_are_not_counted) {
  ChainRng rng(3);
  RegressionBuilder builder(20000, rng);
  SimulatedRegression data =
      builder.numeric(builder.uniforms(-1, 1), {-1, 1}).factor({.6, .4}).factor({.3, .7}).covariates();
  data.y = Position::Zero(20000);
  const Found two_valued = frame_of(data, 1);
  data.indicator.assign(data.indicator.size(), false);
  EXPECT_EQ(two_valued.spent, frame_of(data, 1).spent);
}

}  // namespace
}  // namespace sotto
