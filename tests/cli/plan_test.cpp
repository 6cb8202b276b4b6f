#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    write("s.toml", R"([[column]]
name = "ill"
kind = "binary"

[[column]]
name = "age"
kind = "real"
lower = 20
upper = 80
)");
  }
  [[nodiscard]] Outcome plan(const std::string& more) const {
    return sotto("plan --schema s.toml --formula 'ill ~ age' --delta 1e-6 --draws 500 " + more);
  }
};

TEST_F(Plan, compares_budgets_and_reads_no_rows) {
  const Outcome table = plan("--rows 5000 --epsilon 0.01,20 --data nowhere.csv");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("rows of the data were not read"));
  EXPECT_THAT(table.out, HasSubstr("epsilon 0.01: hopeless: "));
  EXPECT_THAT(table.out, HasSubstr("epsilon 20: good: "));
  EXPECT_THAT(table.out, Not(HasSubstr("held the truth")));
  EXPECT_FALSE(exists("out"));
}

TEST_F(Plan, prints_one_json_object) {
  const Outcome plain = plan("--rows 3000 --epsilon 1 --repeats 1 --json");
  EXPECT_EQ(plain.status, 0) << plain.err;
  const auto object = nlohmann::json::parse(plain.out);
  EXPECT_EQ(object["rows"], 3000);
  EXPECT_EQ(object["made_up_rows"], true);
  EXPECT_EQ(object["budgets"][0]["epsilon"], 1);
  // The noise is the system's and cannot be repeated: of one repeat the ratio may lie on either side of one.
  const auto age = object["budgets"][0]["parameters"]["age"];
  EXPECT_GT(age["sd"].get<double>(), 0);
  EXPECT_NEAR(age["sd_inflation"].get<double>(),
              age["sd"].get<double>() / object["sd_without_noise"]["age"].get<double>(), 1e-6);
}

TEST_F(Plan, takes_rows_from_a_public_table) {
  std::string text = "age,other\n";
  for (int i = 0; i < 500; ++i) text += std::to_string(40 + i % 10) + ",x\n";
  write("public.csv", text);
  EXPECT_THAT(plan("--like public.csv --epsilon 1 --repeats 1").out, HasSubstr("nothing here protects them"));
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
