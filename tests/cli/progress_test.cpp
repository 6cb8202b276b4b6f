#include "cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Progress, tells_how_far_how_long_and_what_is_spent) {
  const std::string line = progress_line("sampling", 0.25, 0.5, 30, 100);
  EXPECT_THAT(line, HasSubstr("sampling [##########..............................]"));
  EXPECT_THAT(line, HasSubstr("25 %"));
  EXPECT_THAT(line, HasSubstr("budget 50 %"));
  EXPECT_THAT(line, HasSubstr("1 min 30 s left"));
}

TEST(Progress, tells_of_no_budget_where_nothing_is_spent) {
  EXPECT_THAT(progress_line("density", 0.25, std::nullopt, 30, 100), Not(HasSubstr("budget")));
}

TEST(Progress, fits_any_terminal) {
  for (int width = 0; width < 200; ++width) {
    EXPECT_LE(progress_line("warmup", 0.7, 0.1, 1e6, width).size(), static_cast<std::size_t>(width));
  }
}

TEST(Progress, bears_odd_numbers) {
  EXPECT_THAT(progress_line("warmup", 0, 0, 5, 80), Not(HasSubstr("left")));
  EXPECT_THAT(progress_line("warmup", 1, 1, 5, 80), Not(HasSubstr("left")));
  EXPECT_THAT(progress_line("warmup", 7, -3, 5, 80), HasSubstr("100 %  budget 0 %"));
}

TEST(QuarterLines, come_once_a_hundredth_is_done_and_at_quarters) {
  QuarterLines lines;
  std::vector<std::string> told;
  for (int step = 1; step <= 200; ++step) {
    const std::string line = lines.update("plan", step / 200.0, step);
    if (!line.empty()) told.push_back(line);
  }
  EXPECT_THAT(told,
              testing::ElementsAre("plan: 1 %, about 3 min 18 s left", "plan: 25 %, about 2 min 30 s left",
                                   "plan: 50 %, about 1 min 40 s left", "plan: 75 %, about 50 s left"));
}

}  // namespace
}  // namespace sotto::cli
