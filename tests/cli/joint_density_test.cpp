// Several columns of one release estimated together, by the command line.
#include <fmt/format.h>
#include <sysexits.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/density_program.hpp"
#include "sotto_io/csv_cells.hpp"

namespace sotto {
namespace {

class JointDensity : public DensityProgram {};

// Two columns under one budget, estimated jointly; then one of them alone, and the two partitions compared.
TEST_F(JointDensity, several_columns_share_a_budget) {
  std::string table = "a,b,c\n";
  for (int i = 0; i < 30; ++i) table += i % 2 == 0 ? "2,30,x\n" : "8,10,y\n";
  write("y.csv", table);
  write("columns.toml",
        "[[column]]\nname = \"a\"\nlower = 0\nupper = 10\nweight = 2\n"
        "[[column]]\nname = \"b\"\nlower = 0\nupper = 40\n"
        "[[column]]\nname = \"c\"\nchannel = \"randomized-response\"\nlevels = [\"x\", \"y\"]\n");
  ASSERT_EQ(sotto("privatize y.csv --columns columns.toml --epsilon 100 --out z.csv").status, 0);
  const Outcome both = sotto("density z.csv --column a,b --out both --json" + mixed_);
  ASSERT_EQ(both.status, 0) << both.err;
  const auto summary = nlohmann::json::parse(both.out);
  EXPECT_EQ(summary["columns"].size(), 2u);
  EXPECT_EQ(read_csv_cells(folder_ / "both/density.csv", {"column"})[0].size(), 102u);
  EXPECT_EQ(read_csv_cells(folder_ / "both/synthetic.csv", {"a", "b"})[1].size(), 1000u);
  const Outcome one = sotto("density z.csv --column a --compare both --out one --json" + mixed_);
  ASSERT_EQ(one.status, 0) << one.err;
  const double agreement = nlohmann::json::parse(one.out)["adjusted_rand_index"].get<double>();
  EXPECT_LE(agreement, 1);
  EXPECT_GT(agreement, 0.5);
  const Outcome categories = sotto("density z.csv --column c --out c --json" + quick_);
  ASSERT_EQ(categories.status, 0) << categories.err;
  EXPECT_EQ(nlohmann::json::parse(categories.out)["kernel"], "categorical");
  EXPECT_EQ(read_csv_cells(folder_ / "c/density.csv", {"x"})[0], (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(sotto("density z.csv --out d" + quick_).status, EX_USAGE);
  const Outcome mixed = sotto("density z.csv --column a,c --out d" + quick_);
  EXPECT_EQ(mixed.status, EX_CONFIG);
  EXPECT_NE(mixed.err.find("'c' holds categories"), std::string::npos) << mixed.err;
}

// One column by wavelet, one by Laplace noise: the groups of both are those of the same rows. Noise is the operating system's; at this
// epsilon a row's own cell is the likeliest by a factor of e^15 and more.
TEST_F(JointDensity, a_wavelet_beside_another_column) {
  std::string table = "a,b\n";
  for (int i = 0; i < 80; ++i)
    table += i % 2 == 0 ? fmt::format("{},{}\n", 2 + 0.01 * i, 32 + 0.02 * i)
                        : fmt::format("{},{}\n", 7 + 0.01 * i, 11 - 0.02 * i);
  write("y.csv", table);
  write(
      "columns.toml",
      "[[column]]\nname = \"a\"\nlower = 0\nupper = 10\n"
      "[[column]]\nname = \"b\"\nchannel = \"wavelet\"\ntop_level = 2\nlower = 0\nupper = 40\nweight = 3\n");
  ASSERT_EQ(sotto("privatize y.csv --columns columns.toml --epsilon 400 --out z.csv").status, 0);
  const Outcome both =
      sotto("density z.csv --column a --column b --quantity 'P(b > 20)' --out both --json" + mixed_);
  ASSERT_EQ(both.status, 0) << both.err;
  const auto summary = nlohmann::json::parse(both.out);
  EXPECT_EQ(summary["columns"].size(), 2u);
  EXPECT_TRUE(summary["columns"][1].contains("verdict"));
  EXPECT_NEAR(summary["quantities"][0]["mean"].get<double>(), 0.5, 0.15);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "both/report.html"));
  const auto drawn = read_csv_cells(folder_ / "both/synthetic.csv", {"a", "b"});
  ASSERT_EQ(drawn[0].size(), 1000u);
  double sum[2] = {0, 0}, square[2] = {0, 0}, product = 0;
  for (std::size_t i = 0; i < drawn[0].size(); ++i) {
    const double y[] = {std::stod(drawn[0][i]), std::stod(drawn[1][i])};
    EXPECT_TRUE(y[0] >= 0 && y[0] <= 10 && y[1] >= 0 && y[1] <= 40) << y[0] << " " << y[1];
    for (int d = 0; d < 2; ++d) sum[d] += y[d] / 1000, square[d] += y[d] * y[d] / 1000;
    product += y[0] * y[1] / 1000;
  }
  const double correlation =
      (product - sum[0] * sum[1]) / std::sqrt((square[0] - sum[0] * sum[0]) * (square[1] - sum[1] * sum[1]));
  EXPECT_LT(correlation, -0.75);  // of the rows: -0.99; a cell is five wide
}

}  // namespace
}  // namespace sotto
