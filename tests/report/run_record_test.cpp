#include "sotto/report/run_record.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(RunRecord, widths_are_told_by_their_median_and_who_stands_out) {
  RunRecord record;
  EXPECT_EQ(width_sentence(record), "");
  record.sd_inflation = {{"a", 1.2}, {"b", 1.05}, {"c", 1.1}};
  EXPECT_EQ(width_sentence(record), "Intervals are about 1.1 times as wide as without noise.");
  record.sd_inflation[0].second = 2.68;
  EXPECT_EQ(width_sentence(record),
            "Intervals are about 1.1 times as wide as without noise, that of a 2.7 times.");
}

}  // namespace
}  // namespace sotto
