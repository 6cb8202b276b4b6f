// Tables that are not what the schema says: what was seen of the rows and of the responses, in words.
#include "sotto/posterior/told_of_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

OnceRelease released_of(const SimulatedRegression& data) {
  const OnceSettings settings = settings_of(data, 100);
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, 1);
  return release_once(settings, oracle);
}

// Codes 1 and 2 in the place of 0 and 1: only the ones are read.
TEST(ToldOfTable, responses_that_are_coded_otherwise_are_no_answer) {
  ChainRng rng(2);
  OnceRelease release = released_of(designs::base(5000, 2, rng));
  EXPECT_FALSE(told_of_table(release).unreliable);
  EXPECT_THAT(told_of_table(release).warnings, IsEmpty());
  release.nearly_all = 0.99;
  EXPECT_FALSE(told_of_table(release).unreliable) << "they may be";
  EXPECT_THAT(told_of_table(release).notes, Contains(HasSubstr("responses are 1: where that surprises")));
  release.not_all_usable = 0.7;
  EXPECT_TRUE(told_of_table(release).unreliable);
  EXPECT_THAT(told_of_table(release).warnings,
              Contains(HasSubstr("do not take these intervals for an answer")));
  release.not_all_usable = 0.85;
  EXPECT_FALSE(told_of_table(release).unreliable) << "cells may be missing";
  EXPECT_THAT(told_of_table(release).warnings, Contains(HasSubstr("responses are 1: where that surprises")));
  release.not_all_usable = 0.93;
  EXPECT_FALSE(told_of_table(release).unreliable);
  release.not_all_usable.reset();
  release.few_usable = 0.4;
  EXPECT_TRUE(told_of_table(release).unreliable);
  EXPECT_THAT(told_of_table(release).warnings, Contains(HasSubstr("responses are 1, of the rows")));
}

// Where noise hides how many rows could be used, their ones may seem fewer than they are.
TEST(ToldOfTable, responses_without_a_zero_that_is_seen_are_no_answer_where_many_rows_are_left_out) {
  ChainRng rng(2);
  SimulatedRegression data = designs::base(5000, 2, rng);
  EXPECT_FALSE(released_of(data).no_zero_seen);
  OnceRelease release = released_of(data);
  release.no_zero_seen = 0.88;
  EXPECT_FALSE(told_of_table(release).unreliable) << "all rows could be used";
  release.not_all_usable = 0.42;
  EXPECT_TRUE(told_of_table(release).unreliable);
  EXPECT_THAT(told_of_table(release).warnings, Contains(HasSubstr("No response that is 0 is seen")));
  data.y.setOnes();
  EXPECT_TRUE(released_of(data).no_zero_seen);
}

TEST(ToldOfTable, many_rows_that_could_not_be_used_are_a_warning) {
  ChainRng rng(2);
  OnceRelease release = released_of(designs::base(5000, 2, rng));
  release.not_all_usable = 0.8;
  EXPECT_THAT(told_of_table(release).notes, Contains(HasSubstr("About 80 % of the rows could be used")));
  release.not_all_usable = 0.7;
  EXPECT_THAT(told_of_table(release).warnings, Contains(HasSubstr("About 70 % of the rows could be used")));
  EXPECT_FALSE(told_of_table(release).unreliable);
  const auto of_codes = Contains(HasSubstr("a yes or no is coded 1 and 2"));
  EXPECT_THAT(told_of_table(release).warnings, of_codes);
  release.facts.thresholds = 2;
  EXPECT_THAT(told_of_table(release).warnings, Not(of_codes)) << "ordered categories";
}

TEST(ToldOfTable, responses_nearly_all_at_a_bound_are_no_answer) {
  ChainRng rng(2);
  OnceRelease release = released_of(designs::poisson(5000, rng));
  const auto told = [&](const AtBound& piled) {
    release.at_bounds = {piled};
    return told_of_table(release).unreliable;
  };
  const auto response = AtBound::kResponse;
  EXPECT_TRUE(told({.column = response, .upper = true, .share = 0.95}));
  EXPECT_FALSE(told({.column = response, .upper = true, .share = 0.85})) << "told, and an answer";
  EXPECT_FALSE(told({.column = 1, .upper = true, .share = 0.95}));
  EXPECT_FALSE(told({.column = response, .upper = false, .share = 0.95, .only_ends = true}));
  release.facts.response = {0, 1};
  EXPECT_FALSE(told({.column = response, .upper = true, .share = 0.95})) << "whether, and not how many";
}

// The declared bound is in a unit a million times too small.
TEST(ToldOfTable, amounts_far_below_their_bound_are_told_from_their_histogram) {
  ChainRng rng(3);
  SimulatedRegression data = designs::poisson(5000, rng);
  const auto far_below = Contains(testing::Field(&AtBound::only_ends, true));
  OnceSettings settings = settings_of(data, 100);
  settings.facts.steps = true;
  const auto at_bounds = [&] {
    RowOracle oracle(settings.facts, data.x, data.y, settings.cost, 1);
    return release_once(settings, oracle).at_bounds;
  };
  EXPECT_THAT(at_bounds(), Not(far_below));
  settings.facts.response.upper = 1e6;
  EXPECT_THAT(at_bounds(), far_below);
}

}  // namespace
}  // namespace sotto
