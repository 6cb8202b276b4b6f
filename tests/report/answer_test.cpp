#include "sotto/report/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/report/format_number.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

ParameterSummary line(const std::string& parameter, double q05, double q50, double q95) {
  ParameterSummary one;
  one.parameter = parameter;
  one.mean = one.q50 = q50;
  one.sd = 0.1;
  one.q05 = q05;
  one.q95 = q95;
  one.mcse_mean = 0.004;
  return one;
}

RunRecord record_of_three() {
  RunRecord record = synthetic_run(100);
  record.comparison.reset();
  record.effects = {"up", "down", "none"};
  return record;
}

TEST(Answer, says_on_which_side_of_zero_effects_lie) {
  const RunRecord record = record_of_three();
  const std::string sentence =
      answer_sentence(record, {line("(Intercept)", 1, 2, 3), line("up", 0.1, 0.2, 0.3),
                               line("down", -3, -2, -1), line("none", -1, 0, 1)});
  EXPECT_EQ(sentence,
            "90 % intervals of effects lie above 0 for up; lie below 0 for down; contain 0 for none.");
  RunRecord hidden = record;
  hidden.manifest.configuration["release_once"] = {{"noise_dominates", true}};
  EXPECT_EQ(answer_sentence(hidden, {line("none", -1, 0, 1)}),
            "The noise dominates, so that this fit says little of any effect. 90 % intervals of effects "
            "contain 0 for none.");
  EXPECT_EQ(answer_sentence(record, {line("(Intercept)", 1, 2, 3)}), "");
  EXPECT_EQ(answer_sentence(record, {line("up", NAN, NAN, NAN)}), "");
}

TEST(Answer, names_a_few_effects) {
  RunRecord record = record_of_three();
  std::vector<ParameterSummary> summary;
  record.effects.clear();
  for (int k = 0; k < 20; ++k) {
    record.effects.push_back("x" + std::to_string(k));
    summary.push_back(line(record.effects.back(), 1, 2, 3));
  }
  EXPECT_THAT(answer_sentence(record, summary), HasSubstr("x7 and 12 more."));
}

TEST(Answer, ratios_are_of_effects_alone) {
  RunRecord record = record_of_three();
  const std::vector<ParameterSummary> summary{line("(Intercept)", 1, 2, 3), line("up", 0.1, 0.2, 0.3)};
  const std::string with = answer(record, summary);
  EXPECT_THAT(with, HasSubstr("<th>odds ratio</th>"));
  EXPECT_THAT(with, HasSubstr("<td>1.22</td><td>1.11</td><td>1.35</td>"));
  EXPECT_THAT(with, HasSubstr("<td>3.00</td><td></td><td></td><td></td>"));
  record.ratio.clear();
  EXPECT_THAT(answer(record, summary), Not(HasSubstr("ratio")));
}

TEST(Answer, complaints_stand_before_the_numbers) {
  const RunRecord record = record_of_three();
  const std::string text = answer(record, {line("up", 0.1, 0.2, 0.3)}, {"The chains disagree."});
  EXPECT_LT(text.find("lie above 0"), text.find("The chains disagree."));
  EXPECT_LT(text.find("The chains disagree."), text.find("<table"));
}

TEST(Answer, citation_holds_the_promise) {
  RunRecord record = record_of_three();
  EXPECT_THAT(citation(record), HasSubstr("(1, 1e-6)-differential privacy of one person (at most 1 row)"));
  EXPECT_THAT(citation(record), HasSubstr("2026-01-02"));
  record.privacy.earlier = {.count = 1, .epsilon = 0.5, .delta = 1e-6};
  EXPECT_THAT(citation(record), HasSubstr("(1.5, 2e-6)-differential privacy of one person (at most 1 row)"));
  EXPECT_THAT(citation(record), HasSubstr("with all that was released into its directory"));
  record.privacy.earlier.epsilon = HUGE_VAL;
  EXPECT_THAT(citation(record), HasSubstr("(1, 1e-6)"));
  EXPECT_THAT(citation(record), HasSubstr("of this run alone"));
  record.privacy = not_private_statement();
  EXPECT_THAT(citation(record), HasSubstr("not for publication"));
}

TEST(FormatKnown, has_no_digit_below_the_error) {
  EXPECT_EQ(format_known(0.123456, 0.004), "0.12");
  EXPECT_EQ(format_known(0.123456, 0.0004), "0.123");
  EXPECT_EQ(format_known(20774.31, 3.2), "20774");
  EXPECT_EQ(format_known(49.99513, 2e-4), "49.995");
  EXPECT_EQ(format_known(2.51349e-5, 3e-9), "2.513e-5");
  EXPECT_EQ(format_known(1.23456789012, 1e-12), "1.23456789");
  EXPECT_EQ(format_known(1.23456, 0), format_number(1.23456));
  EXPECT_EQ(format_known(2.2e-5, 1e-6), format_number(2.2e-5));
  EXPECT_EQ(format_known(3.0012e8, 2e4), "3.001e8");
  EXPECT_EQ(format_known(3e8, 2e5), "3.00e8");
  EXPECT_EQ(format_known(6.21e-4, 1.2e-5), "0.0006");
  EXPECT_EQ(format_known(6.21e-4, 9e-6), "0.00062");
  EXPECT_EQ(format_known(6.21e-4, 9e-7), "6.21e-4");
  EXPECT_EQ(format_known(NAN, 0.1), "-");
  EXPECT_EQ(format_known(-0.003, 0.02), "0.0");
}

TEST(FormatKnown, a_ratio_never_looks_like_none) {
  EXPECT_EQ(format_known_ratio(0.0116, 0.4), "0.012");
  EXPECT_EQ(format_known_ratio(20.2, 0.4), "20");
}

TEST(FormatNumber, has_no_digits_that_only_fill_up) {
  EXPECT_EQ(format_number(0.5), "0.5");
  EXPECT_EQ(format_number(1.25), "1.25");
  EXPECT_EQ(format_number(1e-6), "1e-6");
  EXPECT_EQ(format_number(0.50001), "0.5000");
}

}  // namespace
}  // namespace sotto
