// A density beside another run's, or beside labels: how far groups differ, and partitions agree.
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/density_program.hpp"

namespace sotto {
namespace {

class DensityBeside : public DensityProgram {};

// Two groups of next to no noise, 6 apart; what is common to both runs is compared, whatever else they asked.
TEST_F(DensityBeside, tells_how_far_groups_differ) {
  const auto release = [&](const std::string& name, int value) {
    std::string table = "y\n";
    for (int i = 0; i < 40; ++i) table += std::to_string(value + i % 2) + "\n";
    write(name + ".csv", table);
    const std::string z = "z" + name + ".csv";
    ASSERT_EQ(
        sotto("privatize " + name + ".csv --column y --lower 0 --upper 10 --epsilon 100 --out " + z).status,
        0);
  };
  release("a", 1);
  release("b", 7);
  ASSERT_EQ(
      sotto("density za.csv --quantity mean --quantity 'P(x>4)' --quantity 'q(0.5)' --out a" + quick_).status,
      0);
  const Outcome run =
      sotto("density zb.csv --quantity mean --quantity 'P(x > 4)' --against a --out b --json" + quick_);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err.find("was not asked for"), std::string::npos) << run.err;
  // A single column by its name or as x.
  const Outcome named = sotto(
      "density zb.csv --quantity 'mean(y)' --quantity 'P(y > 4)' --quantity 'q(y, 0.5)' --quantity 'P(y < "
      "3)' "
      "--against a --out n --json" +
      quick_);
  ASSERT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(nlohmann::json::parse(named.out)["differences"].size(), 3u);
  EXPECT_NE(named.err.find("The other run was not asked for P(y < 3)"), std::string::npos) << named.err;
  const auto summary = nlohmann::json::parse(run.out);
  ASSERT_EQ(summary["differences"].size(), 2u);
  const auto& d = summary["differences"][0];
  EXPECT_EQ(d["quantity"], "mean");
  EXPECT_EQ(summary["differences"][1]["quantity"], "P(x > 4)");
  EXPECT_NEAR(d["mean"].get<double>(), 6, 0.5);
  EXPECT_LT(d["lower"].get<double>(), d["mean"].get<double>());
  EXPECT_EQ(d["probability_positive"], 1);
  EXPECT_EQ(summary["private"], true);
  // Of independent draws.
  const double other = nlohmann::json::parse(content("a/summary.json"))["quantities"][0]["sd"].get<double>();
  const double own = summary["quantities"][0]["sd"].get<double>();
  EXPECT_NEAR(d["sd"].get<double>(), std::hypot(own, other), 0.35 * std::hypot(own, other));
  EXPECT_NE(content("b/report.html").find("Differences from the other group"), std::string::npos);

  // What the other run's chains do not tell the difference does not either.
  ASSERT_EQ(sotto("density za.csv --quantity mean --warmup 0 --draws 4 --thin 1 --out short").status, 0);
  const Outcome rough = sotto("density zb.csv --quantity mean --against short --out d" + quick_);
  EXPECT_NE(rough.err.find("sotto: Of the other run, in short: No verdict"), std::string::npos) << rough.err;
  // What is said of a run without noise is from rows.
  ASSERT_EQ(sotto("density a.csv --not-private --column y --lower 0 --upper 10 --quantity mean --warmup 0 "
                  "--draws 4 --thin 1 --out open")
                .status,
            0);
  const Outcome open = sotto("density zb.csv --quantity mean --against open --out d" + quick_);
  EXPECT_NE(open.err.find("NOT PRIVATE: Of the other run, in open: No verdict"), std::string::npos)
      << open.err;
  EXPECT_EQ(content("d/report.html").find("computed from the release alone"), std::string::npos);
  EXPECT_NE(content("b/report.html").find("computed from the release alone"), std::string::npos);

  EXPECT_EQ(sotto("density zb.csv --against a --out c" + quick_).status, EX_USAGE);
  const Outcome same = sotto("density za.csv --quantity mean --against a --out c" + quick_);
  EXPECT_EQ(same.status, EX_USAGE);
  EXPECT_NE(same.err.find("is of this very release"), std::string::npos) << same.err;
  EXPECT_EQ(sotto("density zb.csv --quantity mean --against nowhere --out c" + quick_).status, EX_NOINPUT);
  EXPECT_EQ(sotto("density zb.csv --quantity 'q(0.1)' --against a --out c" + quick_).status, EX_USAGE);
  EXPECT_EQ(sotto("density zb.csv --quantity mean --against a --out a" + quick_).status, EX_CANTCREAT);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c"));
}

// An income less the hours of work is no difference between groups.
TEST_F(DensityBeside, says_that_the_other_run_is_of_another_column) {
  std::string table = "hours,income\n";
  for (int i = 0; i < 40; ++i) table += "4,7\n";
  write("t.csv", table);
  for (const char* column : {"hours", "income"}) {
    const std::string name(column);
    ASSERT_EQ(sotto("privatize t.csv --column " + name + " --lower 0 --upper 10 --epsilon 100 --out z" +
                    name + ".csv")
                  .status,
              0);
  }
  ASSERT_EQ(sotto("density zhours.csv --quantity mean --out a" + quick_).status, 0);
  const Outcome run = sotto("density zincome.csv --quantity mean --against a --out b" + quick_);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("of the column 'hours', which is none of this run's"), std::string::npos) << run.err;
}

// The index depends on the confidential partition, without noise.
TEST_F(DensityBeside, compares_with_what_is_not_private_and_says_so) {
  std::string table = "y\n";
  for (int i = 0; i < 30; ++i) table += i % 2 == 0 ? "2\n" : "8\n";
  write("y.csv", table);
  ASSERT_EQ(
      sotto("privatize y.csv --column y --lower 0 --upper 10 --epsilon 100 --keep-order --out z.csv").status,
      0);
  ASSERT_EQ(sotto("density y.csv --not-private --column y --lower 0 --upper 10 --out open" + quick_).status,
            0);
  const Outcome run = sotto("density z.csv --compare open --out d" + quick_);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("(NOT PRIVATE: so are summary.json and report.html)"), std::string::npos) << run.out;
  EXPECT_EQ(nlohmann::json::parse(content("d/summary.json"))["private"], false);
  EXPECT_NE(content("d/report.html").find("NOT PRIVATE, as that run was made without noise"),
            std::string::npos);
  // Nothing says that the rows of both stand in one order; of two runs of one release the files do.
  EXPECT_NE(run.err.find("not known to be of the same release"), std::string::npos) << run.err;
  const Outcome again = sotto("density z.csv --compare d --out e" + quick_);
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err.find("same release"), std::string::npos) << again.err;
}

// Two groups that the release tells apart, against the truth and against labels that have nothing to do with them.
TEST_F(DensityBeside, compares_with_labels) {
  std::string table = "y\n";
  std::string truth = "group\n";
  std::string other = "group\n";
  for (int i = 0; i < 60; ++i) {
    table += i % 2 == 0 ? "2\n" : "8\n";
    truth += i % 2 == 0 ? "low\n" : "high\n";
    other += i < 30 ? "0\n" : "1\n";
  }
  write("y.csv", table);
  write("truth.csv", truth);
  write("other.csv", other);
  write("two.csv", "a,b\n1,2\n");
  ASSERT_EQ(
      sotto("privatize y.csv --column y --lower 0 --upper 10 --epsilon 200 --keep-order --out z.csv").status,
      0);
  // Where rows were shuffled nothing says which label is whose.
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 10 --epsilon 200 --out s.csv").status, 0);
  const Outcome shuffled = sotto("density s.csv --out d --compare truth.csv" + quick_);
  EXPECT_EQ(shuffled.status, EX_USAGE);
  EXPECT_NE(shuffled.err.find("the rows of this release were shuffled"), std::string::npos) << shuffled.err;
  ASSERT_EQ(sotto("density z.csv --out of_z" + quick_).status, 0);
  const Outcome of_others = sotto("density s.csv --out d --compare of_z" + quick_);
  EXPECT_EQ(of_others.status, EX_USAGE);
  EXPECT_NE(of_others.err.find("which row of the other run is whose"), std::string::npos) << of_others.err;
  ASSERT_EQ(sotto("density s.csv --out of_s" + quick_).status, 0);
  EXPECT_EQ(sotto("density s.csv --out d --compare of_s" + quick_).status, 0);
  const auto compared = [&](const std::string& labels) {
    const Outcome run = sotto("density z.csv --json --out d --compare " + labels + quick_);
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out);
  };
  const auto right = compared("truth.csv");
  EXPECT_GT(right["adjusted_rand_index"].get<double>(), 0.9);
  EXPECT_GT(right["adjusted_rand_index_interval"][1], 0.9);
  EXPECT_LE(right["adjusted_rand_index_interval"][0], right["adjusted_rand_index_interval"][1]);
  EXPECT_EQ(right["private"], false);
  EXPECT_NE(content("d/report.html").find("NOT PRIVATE unless the labels are public"), std::string::npos);
  EXPECT_LT(compared("other.csv")["adjusted_rand_index"].get<double>(), 0.2);
  const Outcome text = sotto("density z.csv --out d --compare truth.csv" + quick_);
  EXPECT_NE(text.out.find("adjusted Rand index with the labels: "), std::string::npos) << text.out;
  EXPECT_EQ(sotto("density z.csv --out e --compare two.csv" + quick_).status, EX_DATAERR);
  EXPECT_EQ(content("truth.csv"), truth);
}

}  // namespace
}  // namespace sotto
