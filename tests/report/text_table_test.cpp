#include "sotto/report/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "sotto/report/format_number.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(TextTable, has_a_line_per_parameter_of_one_width) {
  RunRecord record = synthetic_run(300);
  record.draws.parameters[1] = "größe";  // eleven bytes, five places
  std::istringstream lines(posterior_table(record.draws));
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr("ess_tail   rhat"));
  const std::size_t width = line.size();
  int rows = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(line.size(), width + (rows == 1 ? 2 : 0)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 7);
}

TEST(TextTable, has_the_digits_that_the_chains_know) {
  RunRecord record = synthetic_run(300);
  for (Chain& chain : record.draws.chains) chain.draws.array() = 50 + chain.draws.array() / 1000;
  const ParameterSummary line = summarise(record.draws).front();
  const std::string text = posterior_table(record.draws);
  EXPECT_THAT(text, HasSubstr(fmt::format("  {:.5f}  ", line.mean)));
  EXPECT_THAT(text, HasSubstr(format_known(line.sd, line.mcse_mean / 2)));
}

TEST(TextTable, a_comparison_is_marked) {
  const RunRecord record = synthetic_run(300);
  EXPECT_THAT(posterior_table(record.draws, record.comparison), HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(posterior_table(record.draws), testing::Not(HasSubstr("NOT PRIVATE")));
}

TEST(FormatNumber, four_digits_or_an_exponent) {
  EXPECT_EQ(format_number(0.123456), "0.1235");
  EXPECT_EQ(format_number(-12.3456), "-12.35");
  EXPECT_EQ(format_number(1e-6), "1e-6");
  EXPECT_EQ(format_number(2.5e-12), "2.5e-12");
  EXPECT_EQ(format_number(4e7), "4e7");
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(NAN), "-");
  EXPECT_EQ(format_percent(0.0156), "1.56 %");
}

// No bound is told smaller than it is, but for what is written down as a whole number and was rounded.
TEST(FormatNumber, what_is_promised_is_never_less_than_it_is) {
  EXPECT_EQ(format_at_most(1), "1");
  EXPECT_EQ(format_at_most(1e-6), "1e-6");
  EXPECT_EQ(format_at_most(1.0004), "1.001");
  EXPECT_EQ(format_at_most(1.11073e-5), "1.12e-5");
  EXPECT_EQ(format_at_most(20.0855), "20.09");
  EXPECT_EQ(format_at_most(0.00121), "0.0013");
  EXPECT_EQ(format_at_most(2.0000000000000004), "2");
  EXPECT_EQ(format_at_most(9.996e-7), "1e-6");
  EXPECT_EQ(format_at_most(1234567), "1.24e6");
  EXPECT_EQ(format_at_most(0), "0");
  EXPECT_EQ(format_at_most(HUGE_VAL), "infinite");
  EXPECT_EQ(format_percent_at_most(0.02661), "2.67 %");
  EXPECT_EQ(format_percent_at_most(0.5), "50 %");
  EXPECT_EQ(format_percent_at_most(0.99964), "100 %");
  for (double x = 1e-9; x < 1e9; x *= 1.0737) EXPECT_GE(std::stod(format_at_most(x)), x * (1 - 1e-9)) << x;
}

TEST(FormatNumber, bounds_are_rounded_up) {
  EXPECT_EQ(format_upwards(0.3968573776443165), "0.396858");
  EXPECT_EQ(format_upwards(4.224678947994986), "4.22468");
  EXPECT_EQ(format_upwards(2.0000000000000004), "2");
  EXPECT_EQ(format_upwards(1.0000001), "1.00001");
  EXPECT_EQ(format_upwards(9.999999e-7), "1e-06");
  EXPECT_EQ(format_upwards(0), "0");
  EXPECT_EQ(format_upwards(HUGE_VAL), "inf");
}

}  // namespace
}  // namespace sotto
