// What the noise would hide is said, where it could move the answer.
#include "sotto/posterior/once_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

OnceVerdict verdict_on(const SimulatedRegression& data, double rho, std::uint64_t seed) {
  const OnceSettings settings = settings_of(data, rho);
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, seed);
  const OnceRelease release = release_once(settings, oracle);
  return check_once(release, sample_once(settings, release, {1, 200, seed}));
}

// Two per cent of the responses, or fewer, could be anywhere: with bounds near the others they would hardly matter.
TEST(OnceChecks, rows_that_the_noise_would_hide_are_told_where_they_would_matter) {
  const auto told = testing::Gt(0);
  ChainRng rng(5);
  EXPECT_THAT(verdict_on(designs::normal(10000, 100, rng), kRho, 1).unseen, told);
  EXPECT_THAT(verdict_on(designs::normal(10000, 100, rng), 1e4 * kRho, 1).unseen, testing::Not(told));
  EXPECT_THAT(verdict_on(designs::normal(10000, 4, rng), 10 * kRho, 1).unseen, testing::Not(told));
  SimulatedRegression counts = designs::poisson(10000, rng);
  EXPECT_THAT(verdict_on(counts, 1e4 * kRho, 1).unseen, testing::Not(told));
  counts.response.upper = 3000;
  EXPECT_THAT(verdict_on(counts, kRho, 1).unseen, told);
  EXPECT_THAT(verdict_on(designs::base(10000, 5, rng), kRho, 1).unseen, testing::Not(told));
}

// The score of rows that are nearly all certain says little of how certain they are.
TEST(OnceChecks, log_odds_that_are_very_far_apart_are_told) {
  const auto told = testing::Contains(testing::HasSubstr("Log odds lie some"));
  ChainRng rng(4);
  SimulatedRegression steep = designs::base(5000, 3, rng);
  EXPECT_THAT(verdict_on(steep, 100, 1).warnings, testing::Not(told));
  steep.truth = Position{{0, 14, -7}};
  respond(steep, {0, 1}, rng);
  EXPECT_THAT(verdict_on(steep, 100, 1).warnings, told);
}

// Who has a rare level and no column of long tails is not sent to look for logarithms.
TEST(OnceChecks, rows_that_count_little_are_laid_to_what_the_table_has) {
  ChainRng rng(1);
  EXPECT_THAT(
      verdict_on(designs::rare_indicator(20000, rng), 4 * kRho, 1).notes,
      testing::Contains(testing::AllOf(testing::HasSubstr("by a rare level, and count little here"),
                                       testing::HasSubstr("See what fewer and larger levels give."))));
}

// Of levels with a third of the rows each none is rare, whatever the noise makes of how rows spread.
TEST(OnceChecks, a_level_that_noise_lets_seem_rare_is_not_called_so) {
  ChainRng rng(2);
  RegressionBuilder builder(1000, rng);
  builder.numeric(builder.uniforms(-1, 1), {-1, 1}).numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data = builder.factor({.4, .3, .3}).covariates();
  data.truth = Position::Zero(data.x.cols());
  respond(data, {0, 1}, rng);
  std::vector<std::string> told;
  for (std::uint64_t seed = 4; seed <= 7; ++seed) {
    for (const std::string& note : verdict_on(data, kRho, seed).notes)
      if (note.find("count little") != std::string::npos) told.push_back(note);
  }
  EXPECT_THAT(told, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(told, testing::Each(
                        testing::HasSubstr("by a level that is rare, or that the noise lets seem so, and")));
}

}  // namespace
}  // namespace sotto
