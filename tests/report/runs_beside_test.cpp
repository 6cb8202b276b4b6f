// Runs beside each other: each with its promise, and what these come to.
#include "sotto/report/runs_beside.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/report/html_report.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RunsBeside, shows_what_both_have_and_what_they_promise_together) {
  const RunRecord one = synthetic_run(200);
  RunRecord other = synthetic_run(200);
  other.title = "the <other>";
  other.draws.parameters[0] = "gone";
  const std::string text = runs_beside(one, {other});
  EXPECT_THAT(text, HasSubstr("run 2: the &lt;other&gt;"));
  EXPECT_THAT(text, HasSubstr("<th>mean, run 2</th>"));
  EXPECT_THAT(text, HasSubstr("<td>-</td><td>-</td><td>-</td>"));
  EXPECT_THAT(text, HasSubstr("no more than epsilon 2 (delta 2e-6) together"));
}

TEST(RunsBeside, other_models_are_told) {
  const RunRecord one = synthetic_run(200);
  RunRecord other = one;
  EXPECT_THAT(runs_beside(one, {other}), Not(HasSubstr("models differ")));
  EXPECT_THAT(runs_beside(one, {other}), HasSubstr(one.manifest.started));
  other.model = "another";
  EXPECT_THAT(runs_beside(one, {other}), HasSubstr("models differ"));
}

TEST(RunsBeside, what_earlier_runs_promised_counts_too) {
  const RunRecord one = synthetic_run(200);
  RunRecord other = synthetic_run(200);
  other.privacy.earlier = {.count = 1, .epsilon = 3, .delta = 1e-6};
  EXPECT_THAT(runs_beside(one, {other}), HasSubstr("no more than epsilon 5 (delta 3e-6) together"));
}

TEST(RunsBeside, promises_of_other_units_have_no_sum) {
  const RunRecord one = synthetic_run(200);
  RunRecord other = synthetic_run(200);
  other.privacy.adjacency =
      one.privacy.adjacency == Adjacency::substitute ? Adjacency::add_remove : Adjacency::substitute;
  EXPECT_THAT(runs_beside(one, {other}), HasSubstr("no figure covers them together"));
  other = one;
  other.privacy.is_private = false;
  EXPECT_THAT(runs_beside(one, {other}), HasSubstr("NOT PRIVATE"));
}

TEST(RunsBeside, stand_on_the_page_where_they_are_asked_for) {
  const RunRecord record = synthetic_run(200);
  EXPECT_THAT(html_report(record, {record}), HasSubstr("Beside other runs"));
  EXPECT_THAT(html_report(record), Not(HasSubstr("Beside other runs")));
}

}  // namespace
}  // namespace sotto
