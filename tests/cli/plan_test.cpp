#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

class Plan : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    declare_age("");
  }
  /// `more`: keys of its column.
  void declare_age(const std::string& more) const {
    write("s.toml", R"([[column]]
name = "ill"
kind = "binary"

[[column]]
name = "age"
kind = "real"
lower = 20
upper = 80
)" + more);
  }
  [[nodiscard]] Outcome plan(const std::string& more) const {
    return sotto("plan --schema s.toml --formula 'ill ~ age' --delta 1e-6 --draws 500 " + more);
  }
};

TEST_F(Plan, says_of_which_columns_the_schema_expects_nothing) {
  EXPECT_THAT(plan("--rows 5000 --epsilon 20").out, HasSubstr("It expects nothing of age: "));
  declare_age("expected_mean = 60\nexpected_sd = 5\n");
  const Outcome expected = plan("--rows 5000 --epsilon 20");
  EXPECT_THAT(expected.out, HasSubstr("as the schema expects them."));
  EXPECT_THAT(expected.out, Not(HasSubstr("expects nothing")));
}

TEST_F(Plan, compares_budgets_and_reads_no_rows) {
  const Outcome table = plan("--rows 5000 --epsilon 0.001,20 --data nowhere.csv");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("rows of the data were not read"));
  EXPECT_THAT(table.out, HasSubstr("epsilon 0.001: hopeless: "));
  EXPECT_THAT(table.out, HasSubstr("epsilon 20: good: "));
  EXPECT_THAT(table.out, Not(HasSubstr("held the truth")));
  EXPECT_THAT(table.out, Not(HasSubstr("Note:")));
  EXPECT_FALSE(exists("out"));
}

TEST_F(Plan, tells_of_settings_that_are_not_read) {
  EXPECT_THAT(plan("--rows 300 --epsilon 1 --repeats 1 --set method.rate=.5").out,
              HasSubstr("Note: method.rate is for chains, and release-once makes none."));
}

TEST_F(Plan, prints_one_json_object) {
  const Outcome plain = plan("--rows 3000 --epsilon 1 --repeats 1 --json");
  EXPECT_EQ(plain.status, 0) << plain.err;
  const auto object = nlohmann::json::parse(plain.out);
  EXPECT_EQ(object["rows"], 3000);
  EXPECT_EQ(object["made_up_rows"], true);
  EXPECT_THAT(object["notes"], testing::IsEmpty());
  EXPECT_EQ(object["budgets"][0]["epsilon"], 1);
  // The noise is the system's and cannot be repeated: of one repeat the ratio may lie on either side of one.
  const auto age = object["budgets"][0]["parameters"]["age"];
  EXPECT_GT(age["sd"].get<double>(), 0);
  EXPECT_NEAR(age["sd_inflation"].get<double>(),
              age["sd"].get<double>() / object["sd_without_noise"]["age"].get<double>(), 1e-6);
}

TEST_F(Plan, a_promise_that_protects_little_is_told) {
  EXPECT_THAT(plan("--rows 3000 --epsilon 30 --repeats 1").err,
              testing::HasSubstr("promises next to nothing"));
}

// Standard error is a file here, no terminal.
TEST_F(Plan, tells_how_long_a_certificate_takes) {
  const Outcome run = plan("--rows 300 --epsilon 1 --certify --repeats 8");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, testing::ContainsRegex(
                           "^sotto: plan: 8 simulated tables are fitted\nsotto: plan: [1-6] %, about "));
  EXPECT_THAT(run.err, HasSubstr("sotto: plan: 75 %, about "));
  EXPECT_EQ(plan("--rows 300 --epsilon 1 --repeats 1").err, "");
}

// What is told of the design comes from made-up rows; the fit that it is kept with is of three rows.
TEST_F(Plan, a_certificate_is_kept_for_the_report) {
  write("plan.json", plan("--rows 2000 --epsilon 1 --certify --repeats 3 --json").out);
  write("d.csv", "ill,age\n1,30\n0,40\n1,50\n");
  const std::string fit = "fit --data d.csv --schema s.toml --delta 1e-6 --draws 10 --force ";
  ASSERT_EQ(sotto(fit + "--formula 'ill ~ age' --epsilon 1 --out out").status, 0);
  const Outcome kept = sotto("report out --certificate plan.json");
  EXPECT_EQ(kept.status, 0) << kept.err;
  EXPECT_THAT(content("out/report.html"), HasSubstr("3 tables of 2000 made-up rows"));
  EXPECT_THAT(content("out/report.html"), HasSubstr("The fit has 3 rows."));
  EXPECT_EQ(nlohmann::json::parse(content("out/certificate.json"))["tables"], 3);
  EXPECT_EQ(sotto("report out").status, 0);
  EXPECT_THAT(content("out/report.html"), HasSubstr("What simulations of this design showed"));
  // A new fit has none.
  EXPECT_EQ(sotto(fit + "--formula 'ill ~ age' --epsilon 1 --overwrite --out out").status, 0);
  EXPECT_FALSE(exists("out/certificate.json"));

  ASSERT_EQ(sotto(fit + "--formula 'ill ~ age' --epsilon 2 --out two").status, 0);
  EXPECT_THAT(sotto("report two --certificate plan.json").err, HasSubstr("holds no epsilon 2"));
  ASSERT_EQ(sotto(fit + "--formula 'ill ~ 1' --epsilon 1 --out one").status, 0);
  EXPECT_THAT(sotto("report one --certificate plan.json").err, HasSubstr("this fit has no parameter age"));
  ASSERT_EQ(sotto("fit --data d.csv --schema s.toml --draws 10 --force --formula 'ill ~ age' --epsilon 1 "
                  "--delta 1e-7 --out seventh")
                .status,
            0);
  EXPECT_THAT(sotto("report seventh --certificate plan.json").err,
              HasSubstr("its delta is 1e-06, and that of this fit 1e-07"));
  write("other.json", "{\"a\": 1}");
  EXPECT_THAT(sotto("report out --certificate other.json").err,
              HasSubstr("not what sotto plan --certify --json prints"));
  EXPECT_FALSE(exists("one/certificate.json"));
  write("cut.json", "{\"a\":");
  EXPECT_EQ(sotto("report out --certificate cut.json").status, EX_DATAERR);
  EXPECT_EQ(sotto("report out --certificate nowhere.json").status, EX_NOINPUT);
}

TEST_F(Plan, takes_rows_from_a_public_table) {
  std::string text = "age,other\n";
  for (int i = 0; i < 500; ++i) text += std::to_string(40 + i % 10) + ",x\n";
  write("public.csv", text);
  EXPECT_THAT(plan("--like public.csv --epsilon 1 --repeats 1").out,
              HasSubstr("nothing here protects its rows"));
  EXPECT_EQ(plan("--like public.csv --epsilon 1 --repeats 1 --data ./public.csv").status, 78);
  const auto object = nlohmann::json::parse(plan("--like public.csv --epsilon 1 --repeats 1 --json").out);
  EXPECT_EQ(object["rows"], 500);
}

TEST_F(Plan, tells_coverage_of_many_repeats) {
  EXPECT_THAT(plan("--rows 300 --epsilon 5 --repeats 20").out,
              HasSubstr("90 % intervals held the truth in "));
}

TEST_F(Plan, says_what_is_missing) {
  const Outcome rows = plan("--epsilon 1");
  EXPECT_EQ(rows.status, 78);
  EXPECT_THAT(rows.err, HasSubstr("--rows"));
  const Outcome delta = sotto("plan --schema s.toml --formula 'ill ~ age' --rows 100 --epsilon 1");
  EXPECT_EQ(delta.status, 78);
  EXPECT_THAT(delta.err, HasSubstr("delta"));
  EXPECT_EQ(plan("--rows 100 --response-mean 2").status, 78);
}

}  // namespace
}  // namespace sotto
