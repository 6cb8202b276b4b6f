#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "sotto_io/run_directory.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

class Diagnose : public Program {};

TEST_F(Diagnose, judges_an_output_directory) {
  RunRecord record = synthetic_run(1000, 0.3);
  record.draws.chains[1].stop = StopReason::finished;
  write_run(folder_ / "run", record);
  const Outcome table = sotto("diagnose run");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("ess_bulk"));
  EXPECT_THAT(table.out, HasSubstr("The chains agree"));

  const Outcome json = sotto("diagnose run --json");
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["verdict"], "good");
  EXPECT_EQ(object["parameters"].size(), 7U);
  EXPECT_LT(object["worst_rhat"].get<double>(), 1.01);
}

TEST_F(Diagnose, judges_chain_files_from_elsewhere) {
  std::string text = "lp__,mu\n";
  for (int i = 0; i < 60; ++i) text += "0," + std::to_string(i) + "\n";  // a chain that only drifts
  write("one.csv", text);
  write("two.csv", text);
  const auto object = nlohmann::json::parse(sotto("diagnose one.csv two.csv --json").out);
  EXPECT_EQ(object["verdict"], "poor");
  EXPECT_EQ(object["chains"], 2);
  EXPECT_GT(object["worst_rhat"].get<double>(), 1.5);
  EXPECT_THAT(object["warnings"].dump(), HasSubstr("not mixed"));
  EXPECT_TRUE(object["private"].is_null());
  write("three.csv", "# model = m\n# dp_private = 0\n" + text);
  EXPECT_EQ(nlohmann::json::parse(sotto("diagnose one.csv three.csv --json").out)["private"], false);
  EXPECT_THAT(sotto("diagnose one.csv three.csv").out, testing::StartsWith("NOT PRIVATE"));
  EXPECT_THAT(sotto("diagnose one.csv two.csv --reference three.csv").out, HasSubstr("NOT PRIVATE"));
}

// A table that was named by mistake.
TEST_F(Diagnose, says_where_a_file_may_hold_rows) {
  std::string text = "income,age\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(i % 7) + "," + std::to_string(i % 5) + "\n";
  write("table.csv", text);
  EXPECT_THAT(sotto("diagnose table.csv").err,
              HasSubstr("if it holds rows, what follows is computed from them and NOT PRIVATE"));
  write("one.csv", "# model = m\n" + text);
  EXPECT_THAT(sotto("diagnose one.csv").err, testing::Not(HasSubstr("NOT PRIVATE")));
}

TEST_F(Diagnose, compares_with_a_reference) {
  std::string exact = "mu,tau\n";
  std::string other = "tau,mu\n";
  for (int i = 0; i < 200; ++i) {
    const double u = (i * 37 % 200) / 100.0;
    exact += std::to_string(u) + "," + std::to_string(i % 7) + "\n";
    other += std::to_string(2 * (i % 7)) + "," + std::to_string(u + 1) + "\n";
  }
  write("exact.csv", exact);
  write("other.csv", other);
  const Outcome json = sotto("diagnose other.csv --reference exact.csv --json");
  ASSERT_EQ(json.status, 0) << json.err;
  const auto comparison = nlohmann::json::parse(json.out).at("comparison");
  EXPECT_EQ(comparison.at("parameters")[0].at("parameter"), "tau");
  EXPECT_NEAR(comparison.at("parameters")[0].at("sd_ratio").get<double>(), 2, 1e-9);
  EXPECT_NEAR(comparison.at("parameters")[1].at("mean_error").get<double>(), 1.7276, 1e-3);
  EXPECT_NEAR(comparison.at("parameters")[1].at("sd_ratio").get<double>(), 1, 1e-9);
  EXPECT_GT(comparison.at("mmd").get<double>(), 0.3);
  EXPECT_TRUE(comparison.at("reference_is_private").is_null());
  EXPECT_FALSE(nlohmann::json::parse(sotto("diagnose other.csv --json").out).contains("comparison"));

  const Outcome table = sotto("diagnose --reference exact.csv --reference exact.csv other.csv");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("MMD"));
  EXPECT_THAT(table.out, HasSubstr("(200 and 400 draws)"));
  EXPECT_THAT(table.out, HasSubstr("NOT PRIVATE either"));

  // A run's directory says whether it protects its rows.
  RunRecord record = synthetic_run(200);
  write_run(folder_ / "run", record);
  EXPECT_THAT(sotto("diagnose run --reference run").out, testing::Not(HasSubstr("NOT PRIVATE")));
  record.privacy = not_private_statement();
  write_run(folder_ / "exact", record);
  EXPECT_THAT(sotto("diagnose run --reference exact").out, HasSubstr("NOT PRIVATE: the reference"));
  // And whether it can be a reference.
  EXPECT_THAT(sotto("diagnose run --reference exact").out, testing::Not(HasSubstr("of another model")));
  EXPECT_THAT(sotto("diagnose run --reference exact").out, testing::Not(HasSubstr("The reference is none")));
  record.title = "something ~ else";
  record.unreliable = true;
  write_run(folder_ / "doubtful", record);
  const std::string doubtful = sotto("diagnose run --reference doubtful").out;
  EXPECT_THAT(doubtful, HasSubstr("The reference is of another model: something ~ else"));
  EXPECT_THAT(doubtful, HasSubstr("The reference is none: of its own draws, NO ANSWER"));
  EXPECT_EQ(sotto("diagnose run --reference exact.csv").status, 65);  // other parameters
  write("narrow.csv", "mu\n1\n2\n4\n3\n");
  EXPECT_THAT(sotto("diagnose narrow.csv --reference exact.csv").out,
              HasSubstr("Not compared, as the reference alone has them: tau."));
  record.draws.parameters[0] = "renamed";
  write_run(folder_ / "other", record);
  const Outcome renamed = sotto("diagnose run --reference other");
  EXPECT_EQ(renamed.status, 65);
  EXPECT_THAT(renamed.err, HasSubstr("have no parameter"));
  EXPECT_THAT(renamed.err, HasSubstr("of another model: something ~ else"));
  record = synthetic_run(200);
  record.manifest.configuration["release_once"]["noise_dominates"] = true;
  write_run(folder_ / "noise", record);
  EXPECT_THAT(sotto("diagnose run --reference noise").out,
              HasSubstr("The reference is none: its noise dominates"));
  EXPECT_EQ(sotto("diagnose run --reference nowhere.csv").status, 66);
}

TEST_F(Diagnose, says_what_is_wrong_with_its_input) {
  EXPECT_EQ(sotto("diagnose nothing.csv").status, 66);
  write("broken.csv", "mu,tau\n1,2\n3\n");
  const Outcome broken = sotto("diagnose broken.csv");
  EXPECT_EQ(broken.status, 65);
  EXPECT_THAT(broken.err, HasSubstr("line 3"));
  EXPECT_EQ(sotto("diagnose").status, 64);
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_EQ(sotto("diagnose empty").status, 66);
}

class Report : public Program {};

TEST_F(Report, is_made_again_with_and_without_the_comparison) {
  write_run(folder_ / "run", synthetic_run(200));
  const std::string first = file_content(folder_ / "run/report.html");
  std::filesystem::remove(folder_ / "run/report.html");
  EXPECT_EQ(sotto("report run").status, 0);
  EXPECT_EQ(file_content(folder_ / "run/report.html"), first);
  EXPECT_THAT(first, testing::Not(HasSubstr("class=\"badge\"")));
  EXPECT_THAT(content("run/not_private/report.html"), HasSubstr("NOT PRIVATE"));
  const auto object = nlohmann::json::parse(sotto("report run --without-comparison --json").out);
  EXPECT_EQ(object["comparison"], false);
  EXPECT_EQ(object["private"], true);
  EXPECT_THAT(file_content(folder_ / "run/report.html"), testing::Not(HasSubstr("class=\"badge\"")));
  EXPECT_FALSE(exists("run/not_private/report.html"));
  EXPECT_EQ(sotto("report nowhere").status, 66);
}

}  // namespace
}  // namespace sotto
