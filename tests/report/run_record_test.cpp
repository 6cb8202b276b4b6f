#include "sotto/report/run_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/report/run_json.hpp"
#include "support/synthetic_run.hpp"

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
  record.draws.parameters = {"a", "b", "c", "sigma"};
  EXPECT_EQ(
      width_sentence(record),
      "Intervals are about 1.1 times as wide as without noise, that of a 2.7 times; how much wider that of "
      "sigma is, is not known.");
  record.sd_inflation.emplace_back("sigma", 8.5);
  EXPECT_EQ(
      width_sentence(record),
      "Intervals are about 1.1 times as wide as without noise, that of a 2.7 times; that of sigma is about "
      "8.5 times as wide as that of so many normal residuals.");
}

TEST(RunRecord, independent_draws_are_an_answer_unless_the_method_says_otherwise) {
  RunRecord record = synthetic_run(20, 0.9);
  EXPECT_THAT(no_answer(record, summarise(record.draws)),
              testing::HasSubstr("the chains have not converged"));
  record.markov_chain = false;
  EXPECT_EQ(no_answer(record, summarise(record.draws)), "");
  record.unreliable = true;
  EXPECT_THAT(no_answer(record, summarise(record.draws)), testing::HasSubstr("the method's own checks"));
  RunRecord again = record;
  again.unreliable = false;
  read_manifest(manifest_json(record), again);
  EXPECT_TRUE(again.unreliable);
}

}  // namespace
}  // namespace sotto
