#include "sotto/diagnostics/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Draws chains(Eigen::Index length, double correlation) {
  return synthetic_draws({"a", "b"}, {1, -2}, {0.5, 3}, 4, length, correlation, 9);
}

TEST(Summary, good_chains_raise_no_warning) {
  const Draws draws = chains(2000, 0.2);
  const auto summary = summarise(draws);
  ASSERT_EQ(summary.size(), 2U);
  EXPECT_NEAR(summary[0].mean, 1, 5 * summary[0].mcse_mean);
  EXPECT_NEAR(summary[1].sd, 3, 5 * summary[1].mcse_sd);
  EXPECT_NEAR(summary[0].q95, 1 + 0.5 * 1.644854, 0.06);
  EXPECT_THAT(warnings(draws, summary), IsEmpty());
}

TEST(Summary, chains_apart_are_named) {
  Draws draws = chains(500, 0.2);
  draws.chains[2].draws.col(1).array() += 9;
  EXPECT_THAT(warnings(draws, summarise(draws)),
              ElementsAre(testing::AllOf(HasSubstr("have not mixed: R-hat"), HasSubstr("b ("),
                                         testing::Not(HasSubstr("a ("))),
                          HasSubstr("Fewer than 400 effective draws for b")));
}

TEST(Summary, chains_a_little_apart_have_not_mixed_well) {
  const Draws draws = chains(2000, 0.2);
  auto summary = summarise(draws);
  summary[1].rhat = 1.02;
  EXPECT_THAT(warnings(draws, summary),
              ElementsAre(HasSubstr("have not mixed well: R-hat is above 1.01 for b")));
}

TEST(Summary, few_effective_draws_of_the_tail_alone_are_told) {
  const Draws draws = chains(2000, 0.2);
  auto summary = summarise(draws);
  ASSERT_THAT(warnings(draws, summary), IsEmpty());
  summary[1].ess_tail = 50;
  EXPECT_THAT(warnings(draws, summary), ElementsAre(HasSubstr("Fewer than 400 effective draws for b (50)")));
}

TEST(Summary, short_chains_are_called_short) {
  const Draws draws = chains(12, 0.9);
  EXPECT_THAT(warnings(draws, summarise(draws)).at(0),
              testing::AllOf(HasSubstr("12 draws"), HasSubstr("nested R-hat")));
}

TEST(Summary, chains_converge_or_not) {
  Draws draws = chains(2000, 0.2);
  const auto now = [&] { return converged(draws, summarise(draws)); };
  EXPECT_TRUE(now());
  draws.chains[1].stop = StopReason::budget_spent;
  EXPECT_TRUE(now());
  draws.chains[0].stop = StopReason::diverged;
  EXPECT_FALSE(now());
  draws = chains(2000, 0.2);
  draws.chains[2].draws.col(1).array() += 9;
  EXPECT_FALSE(now());
  draws = chains(2000, 0.2);
  for (Chain& chain : draws.chains) chain.draws.col(0).setZero();
  EXPECT_FALSE(now());
  draws = chains(40, 0);
  EXPECT_FALSE(now());
}

TEST(Summary, chains_that_ended_before_their_time_are_told) {
  Draws draws = chains(2000, 0.2);
  draws.chains[1].stop = StopReason::budget_spent;
  EXPECT_THAT(warnings(draws, summarise(draws)), ElementsAre(HasSubstr("after 2000 draws")));
  draws.chains[0].stop = StopReason::diverged;
  EXPECT_THAT(warnings(draws, summarise(draws)), ElementsAre(HasSubstr("ran away")));
}

TEST(Summary, constant_and_missing_draws_are_told) {
  Draws draws = chains(200, 0);
  for (Chain& chain : draws.chains) chain.draws.col(0).setConstant(3);
  const auto summary = summarise(draws);
  EXPECT_TRUE(std::isnan(summary[0].rhat));
  EXPECT_EQ(summary[0].mean, 3);
  EXPECT_EQ(summary[0].sd, 0);
  EXPECT_THAT(warnings(draws, summary).at(0), HasSubstr("Nothing can be said of a"));
  draws.chains[1].draws.resize(0, 2);
  EXPECT_THAT(warnings(draws, summarise(draws)), ElementsAre(HasSubstr("no draws")));
}

// The mean of draws that are all alike is rounded, and they lie beside it.
TEST(Summary, constant_draws_have_no_spread_whatever_they_are) {
  Draws draws = chains(30, 0);
  for (Chain& chain : draws.chains) chain.draws.col(0).setConstant(4.8463627278485335);
  EXPECT_EQ(summarise(draws)[0].sd, 0);
}

TEST(Summary, chains_that_stand_still_are_told) {
  Draws draws = chains(200, 0);
  for (std::size_t c = 0; c < draws.chains.size(); ++c)
    draws.chains[c].draws.col(0).setConstant(0.1 * static_cast<double>(c));
  const std::vector<std::string> told = warnings(draws, summarise(draws));
  EXPECT_THAT(told, ElementsAre(HasSubstr("No chain moves in a: no step was accepted")));
  draws.chains[0].draws(7, 0) += 1e-9;
  EXPECT_THAT(warnings(draws, summarise(draws)), Not(Contains(HasSubstr("No chain moves"))));
}

TEST(Summary, independent_draws_are_not_judged_as_chains) {
  const Draws draws = synthetic_draws({"a"}, {0}, {1}, 4, 100, 0.9, 4);
  EXPECT_THAT(warnings(draws, summarise(draws), false), IsEmpty());
  EXPECT_FALSE(warnings(draws, summarise(draws), true).empty());
}

TEST(Summary, few_independent_draws_are_told) {
  const Draws draws = synthetic_draws({"a"}, {0}, {1}, 1, 30, 0, 4);
  EXPECT_THAT(warnings(draws, summarise(draws), false), ElementsAre(HasSubstr("There are 30 draws in all")));
}

}  // namespace
}  // namespace sotto
