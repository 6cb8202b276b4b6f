// A fit whose numbers must not be taken for an answer prints no table of them, and its page folds them away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

class NoAnswer : public Program {
 protected:
  /// 2,000 rows, half of them ones; the cells of `x` read `cell` and `other`.
  void write_table(const std::string& cell, const std::string& other) const {
    write("s.toml",
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
    std::string text = "y,x\n";
    for (int i = 0; i < 2000; ++i) text += std::to_string(i % 2) + "," + (i % 3 == 0 ? cell : other) + "\n";
    write("d.csv", text);
  }
  Outcome fit(const std::string& more) const { return fit_at("1", more); }
  Outcome fit_at(const std::string& epsilon, const std::string& more = "",
                 const std::string& formula = "y ~ x") const {
    return sotto("fit --data d.csv --schema s.toml --delta 1e-6 --out out --formula '" + formula +
                 "' --epsilon " + epsilon + " " + more);
  }
  /// What every reader of the fit meets.
  void expect_no_answer(const Outcome& run) const {
    ASSERT_EQ(run.status, EX_TEMPFAIL) << run.err;
    EXPECT_THAT(run.out, HasSubstr("NO ANSWER: "));
    EXPECT_THAT(run.out, HasSubstr("sotto diagnose out shows"));
    EXPECT_THAT(run.out, Not(HasSubstr("parameter ")));
    EXPECT_THAT(run.out, Not(HasSubstr("times as wide")));
    const std::string page = content("out/report.html");
    EXPECT_THAT(page, HasSubstr("What was found<span class=\"badge\">NO ANSWER</span>"));
    EXPECT_THAT(page, HasSubstr("Densities<span class=\"badge\">NO ANSWER</span>"));
    EXPECT_THAT(page, Not(HasSubstr("90 % intervals of effects")));
    EXPECT_THAT(nlohmann::json::parse(content("out/summary.json")).at("no_answer").get<std::string>(),
                HasSubstr("NO ANSWER"));
    EXPECT_EQ(nlohmann::json::parse(content("out/summary.json")).at("private"), true);
    const Outcome asked = sotto("diagnose out");
    EXPECT_THAT(asked.out, testing::StartsWith("NO ANSWER: "));
    EXPECT_THAT(asked.out, HasSubstr("parameter "));
  }
};

// Dates that are declared as numbers: what is drawn without privacy is the prior, too.
TEST_F(NoAnswer, of_rows_that_cannot_be_used_without_privacy_either) {
  write_table("2020-01-01", "2021-02-03");
  const Outcome open = sotto("fit --data d.csv --schema s.toml --formula 'y ~ x' --not-private --out open");
  EXPECT_EQ(open.status, EX_TEMPFAIL);
  EXPECT_THAT(open.err, HasSubstr("about 0 % of the rows could be used"));
  EXPECT_THAT(open.out, HasSubstr("NO ANSWER"));
}

TEST_F(NoAnswer, of_chains_that_have_not_converged) {
  write_table("0.5", "-0.5");
  expect_no_answer(fit("--method penalty --draws 10 --warmup 2 --force"));
}

TEST_F(NoAnswer, is_foreseen_and_refused_before_anything_is_spent) {
  write_table("0.5", "-0.5");
  for (const Outcome& run : {fit("--method penalty"), fit_at("0.001")}) {
    EXPECT_EQ(run.status, EX_TEMPFAIL) << run.err;
    EXPECT_THAT(run.err, HasSubstr("would give no answer"));
    EXPECT_THAT(run.err, HasSubstr("nothing was spent"));
    EXPECT_THAT(run.err, HasSubstr("--force"));
    EXPECT_THAT(run.out, testing::IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "charges.jsonl"));
  }
  const Outcome forced = fit_at("0.001", "--draws 100 --force");
  EXPECT_THAT(forced.err, HasSubstr("The noise dominates"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "charges.jsonl"));
}

// Where the number of rows is private, it is released first, and what is rehearsed follows from that. That count's noise has a
// standard deviation of 3,064 rows; 20,000 rows are too few for this formula, so a false alarm is one of six deviations.
TEST_F(NoAnswer, is_foreseen_for_the_price_of_a_count_where_the_number_of_rows_is_private) {
  write_table("0.5", "-0.5");
  write("s.toml", "adjacency = \"add-remove\"\n" + content("s.toml"));
  const std::string many = "y ~ bs(x, 8)";
  const Outcome run = fit_at("0.01", "", many);
  EXPECT_EQ(run.status, EX_TEMPFAIL) << run.err;
  EXPECT_THAT(run.err, HasSubstr("as many as a noisy count of the table's says"));
  EXPECT_THAT(run.err, HasSubstr("as out/charges.jsonl says"));
  const auto statement = nlohmann::json::parse(content("out/privacy.json"));
  EXPECT_GT(statement.at("spent_epsilon").get<double>(), 0);
  EXPECT_LT(statement.at("spent_epsilon").get<double>(), 0.0015);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "summary.csv"));
  const Outcome forced = fit_at("0.01", "--force --draws 100 --overwrite", many);
  EXPECT_THAT(forced.err, testing::AnyOf(HasSubstr("The noise dominates"), HasSubstr("Hardly any row")));
  const auto earlier = nlohmann::json::parse(content("out/privacy.json")).at("earlier");
  EXPECT_EQ(earlier.at("runs"), 1) << earlier;
}

TEST_F(NoAnswer, of_rows_that_the_schema_cannot_read) {
  write_table("n/a", "unknown");
  expect_no_answer(fit("--draws 100"));
}

TEST_F(NoAnswer, is_not_said_where_all_is_well) {
  write_table("0.5", "-0.5");
  const Outcome run = fit("--not-private --draws 400");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("NO ANSWER")));
  EXPECT_THAT(run.out, HasSubstr("parameter "));
  EXPECT_EQ(nlohmann::json::parse(content("out/summary.json")).at("no_answer"), "");
}

TEST_F(NoAnswer, or_an_answer_without_privacy_is_marked_in_the_summary_itself) {
  write_table("0.5", "-0.5");
  ASSERT_EQ(fit("--not-private --draws 400").status, 0);
  EXPECT_EQ(nlohmann::json::parse(content("out/summary.json")).at("private"), false);
  const std::string table = content("out/summary.csv");
  EXPECT_THAT(table.substr(0, table.find('\n')), testing::EndsWith(",private"));
  EXPECT_THAT(table, testing::EndsWith(",false\n"));
  EXPECT_THAT(sotto("diagnose out").out, testing::StartsWith("NOT PRIVATE"));
  EXPECT_EQ(nlohmann::json::parse(sotto("diagnose --json out").out).at("private"), false);
}

}  // namespace
}  // namespace sotto
