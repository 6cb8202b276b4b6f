// sotto experiment on a few rows and steps: every method runs, and the table has what was computed.
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace sotto {
namespace {

using ExperimentProgram = Program;

TEST_F(ExperimentProgram, dp_hmc_compares_every_method_within_its_budget) {
  const Outcome outcome = sotto("experiment dp-hmc --out e --rows 2000 --epsilon 4 --most-steps 8 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = nlohmann::json::parse(outcome.out).at("outcomes");
  ASSERT_EQ(lines.size(), 14u);  // two problems, seven methods
  for (const auto& line : lines) {
    EXPECT_LE(line.at("spent_epsilon").get<double>(), 4) << line;
    if (line.at("method") == "auto") continue;
    EXPECT_LE(line.at("steps").get<int>(), 8) << line;
  }
  const std::string table = file_content(folder_ / "e" / "table.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 15);
  EXPECT_EQ(
      table.rfind("problem,method,epsilon,repeat,steps,acceptance,mmd,mean_error,sd_ratio,spent_epsilon", 0),
      0u);
}

// What others wrote stays; an experiment's own files are replaced.
TEST_F(ExperimentProgram, replaces_its_own_files_alone) {
  const std::string call =
      "experiment clipping --rows 200 --share 0.0005 --problem normal --method metropolis --bound 1 --out ";
  ASSERT_EQ(sotto(call + "e").status, 0);
  EXPECT_EQ(sotto(call + "e").status, 0);
  for (const char* name : {"table.csv", "report.html", "curves.csv"}) {
    std::filesystem::create_directories(folder_ / "mine");
    write((std::string("mine/") + name).c_str(), "mine");
    EXPECT_EQ(sotto(call + "mine").status, EX_CANTCREAT) << name;
    EXPECT_EQ(file_content(folder_ / "mine" / name), "mine");
    std::filesystem::remove_all(folder_ / "mine");
  }
}

// Independent draws given the noisy sum: MMD is 0.03 +- 0.01 and 0.02 +- 0.01 at 100,000 rows and this budget. The noise of experiments
// is seeded, so the figures are the same in every run.
TEST_F(ExperimentProgram, auto_comes_near_the_posterior_where_bounds_are_wide) {
  const Outcome outcome =
      sotto("experiment dp-hmc --out e --method auto --epsilon 2 --half-width 1000 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const auto& line : nlohmann::json::parse(outcome.out).at("outcomes")) {
    EXPECT_LE(line.at("mmd").get<double>(), 0.07) << line;
    EXPECT_NEAR(line.at("sd_ratio").get<double>(), 1, 0.03) << line;
  }
}

TEST_F(ExperimentProgram, clipping_counts_what_it_clips) {
  const Outcome outcome =
      sotto("experiment clipping --out e --rows 400 --share 0.002 --bound 1e-6 1e6 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = nlohmann::json::parse(outcome.out).at("outcomes");
  ASSERT_EQ(lines.size(), 12u);  // two problems, three methods, two bounds
  for (const auto& line : lines) {
    const double clipped = line.at("clipped");
    EXPECT_NEAR(clipped, line.at("bound") == 1e-6 ? 1 : 0, 0.05) << line;
  }
}

TEST_F(ExperimentProgram, refuses_what_it_does_not_know) {
  EXPECT_EQ(sotto("experiment nothing --out e").status, 64);
  EXPECT_EQ(sotto("experiment dp-hmc --out e --rows 400 --method nothing").status, 64);
  EXPECT_EQ(sotto("experiment clipping --out e --rows 400 --problem nothing").status, 64);
}

}  // namespace
}  // namespace sotto
