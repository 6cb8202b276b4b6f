#include "sotto/run/once_warnings.hpp"

#include <gmock/gmock.h>

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

OnceFacts four_columns_of_counts() {
  OnceFacts facts;
  facts.link = Link::log;
  facts.column_mean = Position::Zero(4);
  return facts;
}

const std::vector<std::string> kNames{"Intercept", "age", "g[b]", "age:g[b]"};

TEST(OnceWarnings, nothing_is_said_where_nothing_is_wrong) {
  EXPECT_THAT(once_warnings({}, four_columns_of_counts(), kNames), IsEmpty());
}

TEST(OnceWarnings, one_sentence_for_all_columns) {
  OnceVerdict verdict;
  verdict.hidden = {1, 2, 3};
  verdict.sensitive = {{2, 0.061, false}, {3, 0.4, true}};
  verdict.at_bounds = {{1, true, 0.25}, {2, false, 0.5}};
  verdict.uneven = {{1, 1.25}, {3, 2}};
  verdict.far_rows = {1, 3};
  verdict.far_share = 0.031;
  EXPECT_THAT(
      once_warnings(verdict, four_columns_of_counts(), kNames),
      ElementsAre(
          HasSubstr("Many rows have age at its upper bound (25 %), g[b] at its lower bound (50 %)"),
          HasSubstr("left of age, g[b], age:g[b]: the noise"),
          testing::AllOf(
              HasSubstr("The prior counts in g[b] (0.06), age:g[b] (0.40): prior sensitivity above 0.05."),
              HasSubstr("set a wider one, prior.parameter.\"age:g[b]\"")),
          HasSubstr("How far counts vary differs by age, age:g[b]: clipping them moved their coefficients by "
                    "1.2, 2.0 "
                    "standard deviations"),
          HasSubstr("About 3.1 % of the rows lie far from the others and do not follow the model that fits "
                    "the rest, as age, age:g[b] show:")));
  verdict = {};
  verdict.at_bounds = {{1, true, 0.05}, {2, true, 0.05}};  // a curve's ends are not its column's
  EXPECT_THAT(
      once_warnings(verdict, four_columns_of_counts(), {"Intercept", "poly(age)[1]", "poly(age)[2]", "x"}),
      ElementsAre(HasSubstr(
          "Many rows have the column of poly(age) at one end of its declared bounds (5 %). If that is")));
  verdict = {};
  verdict.leaning = {1};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(HasSubstr("Rows far out in age seem to leave the line")));
  verdict = {};
  verdict.held = {1};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(HasSubstr("Little but the prior is left of age, and not for the noise")));
}

TEST(OnceWarnings, a_prior_that_counts_is_noted_and_told_where_it_holds_back) {
  OnceVerdict verdict;
  verdict.sensitive = {{2, 0.061, false}};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::StartsWith("Note: The prior counts in g[b] (0.06)")));
  verdict.sensitive = {{2, 0.061, true}};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::StartsWith("The prior counts in g[b] (0.06)")));
}

TEST(OnceWarnings, what_wide_priors_draw_off_is_told_with_its_direction) {
  OnceVerdict verdict;
  verdict.drawn_off = {{0, false, 0.634}, {2, true, 0.81}};
  EXPECT_TRUE(verdict.warns());
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::AllOf(HasSubstr("draw Intercept down (90 % intervals of such fits hold "
                                                   "the truth in about 63 %), g[b] up (81 %). Set"),
                                         HasSubstr("Set narrower priors of the effects"))));
}

TEST(OnceWarnings, what_there_is_too_much_of_is_counted) {
  OnceVerdict verdict;
  std::vector<std::string> names{"Intercept"};
  for (Eigen::Index j = 1; j <= 20; ++j) {
    verdict.hidden.push_back(j);
    names.push_back("g[" + std::to_string(j) + "]");
  }
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), names),
              ElementsAre(HasSubstr("g[1], g[2], g[3], g[4] and 16 more:")));
}

TEST(OnceWarnings, values_far_out_at_a_bound_may_be_codes) {
  OnceVerdict verdict;
  verdict.curved = {1};
  verdict.at_bounds = {{1, true, 0.05, true}};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::AllOf(HasSubstr("Many values of age sit at its upper bound (about 5 %"),
                                         HasSubstr("a code for missing?"))));
  verdict.curved = {1, 3};
  EXPECT_THAT(
      once_warnings(verdict, four_columns_of_counts(), kNames),
      ElementsAre(HasSubstr("a code for missing?"), HasSubstr("The effect of age:g[b] is no straight")));
}

TEST(OnceWarnings, values_at_both_bounds_alone_are_a_note) {
  OnceVerdict verdict;
  verdict.at_bounds = {{.column = 1, .upper = true, .share = 0.88, .only_ends = true}};
  EXPECT_FALSE(verdict.warns());
  EXPECT_THAT(
      once_warnings(verdict, four_columns_of_counts(), kNames),
      ElementsAre(testing::StartsWith("Note: About 88 % of the rows have age at one of its two bounds.")));
}

TEST(OnceWarnings, a_power_is_advised_of_a_column_alone) {
  OnceVerdict verdict;
  verdict.curved = {3};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::AllOf(HasSubstr("The effect of age:g[b] is no straight line"),
                                         HasSubstr("take a curve, or more values of one."))));
  verdict.curved = {3, 1};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::AllOf(HasSubstr("The effects of age:g[b], age are"),
                                         HasSubstr("take a curve, as in poly(age, 3)."))));
}

TEST(OnceWarnings, long_tails_are_told_of_columns_as_they_are) {
  OnceVerdict verdict;
  verdict.maybe_curved = {3};
  EXPECT_TRUE(once_warnings(verdict, four_columns_of_counts(), kNames).empty());
  verdict.maybe_curved = {1, 3};
  EXPECT_THAT(
      once_warnings(verdict, four_columns_of_counts(), kNames),
      ElementsAre(HasSubstr(
          "Note: what the noise may hide at this epsilon: that the effect of age is no straight line")));
}

TEST(OnceWarnings, rows_far_out_that_could_move_the_answer_unseen_are_told_with_how_far) {
  OnceVerdict verdict;
  verdict.unseen_far = {{1, 4.6}};
  EXPECT_TRUE(verdict.warns());
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), kNames),
              ElementsAre(testing::AllOf(
                  HasSubstr("Rows far out in age have little weight here, and the noise hides"),
                  HasSubstr("up to some 5 standard deviations away"))));
}

TEST(OnceWarnings, what_the_noise_may_hide_is_one_note) {
  OnceVerdict verdict;
  verdict.maybe_curved = {1};
  verdict.unseen = 0.015;
  EXPECT_FALSE(verdict.warns());
  EXPECT_THAT(
      once_warnings(verdict, four_columns_of_counts(), kNames),
      ElementsAre(testing::AllOf(
          HasSubstr("no straight line"),
          HasSubstr("; up to some 1.5 % of the rows far from the others, which count little here."))));
  OnceFacts of_numbers = four_columns_of_counts();
  of_numbers.link = Link::identity;
  EXPECT_THAT(once_warnings(verdict, of_numbers, kNames),
              ElementsAre(HasSubstr("which count little here, in sigma too.")));
}

TEST(OnceWarnings, what_is_to_be_written_is_as_a_formula_reads_it) {
  OnceVerdict verdict;
  verdict.curved = {1};
  EXPECT_THAT(once_warnings(verdict, four_columns_of_counts(), {"Intercept", "my age", "g[b]", "age:g[b]"}),
              ElementsAre(HasSubstr("as in poly(`my age`, 3)")));
}

}  // namespace
}  // namespace sotto
