#include <sysexits.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "sotto_io/csv_cells.hpp"

namespace sotto {
namespace {

class DensityVerb : public Program {
 protected:
  const std::string quick_ = " --chains 2 --warmup 100 --draws 100 --thin 1 --grid 51 ";
};

// From a real column to a report, through noise from the operating system.
TEST_F(DensityVerb, privatize_then_density) {
  const std::string data = std::string(SOTTO_DATA) + "/diabetes/diabetes.csv";
  const Outcome privatised =
      sotto("privatize '" + data +
            "' --column bmi --channel laplace --lower 10 --upper 60 --epsilon 10 --out z.csv");
  ASSERT_EQ(privatised.status, 0) << privatised.err;
  const Outcome run = sotto(
      "density z.csv --channel-file z.csv.channel.toml --kernel normal --algorithm auto --out d --json" +
      quick_);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto summary = nlohmann::json::parse(run.out);
  EXPECT_EQ(summary["private"], true);
  EXPECT_EQ(summary["rows"], 442);
  EXPECT_GE(summary["acceptance"].get<double>(), std::exp(-10));
  EXPECT_GE(summary["worst_log_ratio"].get<double>(), -10 * (1 + 1e-9));
  const auto columns = read_csv_cells(folder_ / "d/density.csv", {"x", "mean", "lower", "upper"});
  ASSERT_EQ(columns[0].size(), 51u);
  double total = 0;
  for (std::size_t i = 0; i < 51; ++i) {
    total += std::stod(columns[1][i]);
    EXPECT_LE(std::stod(columns[2][i]), std::stod(columns[3][i]));
  }
  EXPECT_NEAR(total, 1, 0.02);  // the grid step is one
  const auto clusters = nlohmann::json::parse(file_content(folder_ / "d/clusters.json"));
  EXPECT_EQ(clusters["partition_vi"]["allocation"].size(), 442u);
  EXPECT_EQ(read_csv_cells(folder_ / "d/synthetic.csv", {"y"})[0].size(), 200u);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "d/chain_2.csv"));
  const std::string page = file_content(folder_ / "d/report.html");
  EXPECT_NE(page.find("epsilon 10"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);  // nothing from the network
  EXPECT_EQ(page.find("NOT PRIVATE"), std::string::npos);
}

TEST_F(DensityVerb, confidential_data_are_marked) {
  write("y.csv", "y\n0.2\n0.3\n0.8\n");
  const Outcome run =
      sotto("density y.csv --not-private --column y --lower 0 --upper 1 --out d --json" + quick_);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["private"], false);
  EXPECT_NE(file_content(folder_ / "d/report.html").find("NOT PRIVATE"), std::string::npos);
}

TEST_F(DensityVerb, bad_input_is_refused_in_one_line) {
  write("y.csv", "y,c\n0.2,a\n0.3,b\n0.8,a\n");
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv").status, 0);
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 2 --epsilon 1 --grid-steps 7 --out other.csv")
                .status,
            0);
  ASSERT_EQ(
      sotto(
          "privatize y.csv --column c --channel randomized-response --categories a,b --epsilon 1 --out c.csv")
          .status,
      0);
  ASSERT_EQ(sotto("privatize y.csv --column y --channel smoothed-histogram --lower 0 --upper 1 --epsilon 1 "
                  "--draws 2 --out s.csv")
                .status,
            0);
  write("nan.csv", "y\n0.5\nNaN\n0.25\n");
  write("short.csv", "y\n0.5\n");
  write("range.csv", "y\n0.5\n7\n");
  write("empty.csv", "");
  const std::pair<const char*, int> calls[] = {
      {"z.csv --channel-file absent.toml", EX_NOINPUT},
      {"absent.csv --channel-file z.csv.channel.toml", EX_NOINPUT},
      {"short.csv", EX_NOINPUT},
      {"z.csv --channel-file other.csv.channel.toml", EX_DATAERR},
      {"nan.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"short.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"empty.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"range.csv --channel-file s.csv.channel.toml", EX_DATAERR},
      {"z.csv --channel-file y.csv", EX_DATAERR},
      {"c.csv", EX_CONFIG},
      {"z.csv --column other", EX_USAGE},
      {"z.csv --kernel cauchy", EX_CONFIG},
      {"z.csv --algorithm gibbs", EX_CONFIG},
      {"z.csv --level 2", EX_CONFIG},
      {"y.csv --not-private --column y", EX_CONFIG},
  };
  for (const auto& [arguments, status] : calls) {
    const Outcome run = sotto(std::string("density ") + arguments + quick_ + "--out d");
    EXPECT_EQ(run.status, status) << arguments << "\n" << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "d")) << arguments;
  }
  EXPECT_EQ(sotto("density z.csv --out /proc/none/d" + quick_).status, EX_CANTCREAT);
}

TEST_F(DensityVerb, one_row_is_enough) {
  write("y.csv", "y\n0.2\n");
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv").status, 0);
  const Outcome run = sotto("density z.csv --out d" + quick_);
  EXPECT_EQ(run.status, 0) << run.err;
}

}  // namespace
}  // namespace sotto
