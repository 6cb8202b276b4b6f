#include <sysexits.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/density_program.hpp"
#include "sotto_io/csv_cells.hpp"

namespace sotto {
namespace {

class DensityVerb : public DensityProgram {};

// From a real column to a report, through noise from the operating system.
TEST_F(DensityVerb, privatize_then_density) {
  const std::string data = std::filesystem::absolute(SOTTO_DATA "/diabetes/diabetes.csv").string();
  const Outcome privatised =
      sotto("privatize '" + data +
            "' --column bmi --channel laplace --lower 10 --upper 60 --epsilon 10 --out z.csv");
  ASSERT_EQ(privatised.status, 0) << privatised.err;
  const Outcome run = sotto(
      "density z.csv --channel-file z.csv.channel.toml --kernel normal --algorithm neal5 --out d --json" +
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
  // The grid step is one; the cells at the ends are half as wide.
  EXPECT_NEAR(total - (std::stod(columns[1][0]) + std::stod(columns[1][50])) / 2, 1, 1e-6);
  const auto clusters = nlohmann::json::parse(file_content(folder_ / "d/clusters.json"));
  EXPECT_EQ(clusters["partition_vi"]["allocation"].size(), 442u);
  EXPECT_EQ(read_csv_cells(folder_ / "d/synthetic.csv", {"bmi"})[0].size(), 200u);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "d/chain_2.csv"));
  const std::string page = file_content(folder_ / "d/report.html");
  EXPECT_NE(page.find("epsilon 10"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* outside : {"http:", "https:", "<script", "src=", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("In numbers"), std::string::npos);
  EXPECT_EQ(page.find("NOT PRIVATE"), std::string::npos);
}

TEST_F(DensityVerb, quantities_have_intervals_everywhere) {
  std::string table = "y,c\n";
  for (int i = 0; i < 60; ++i) table += i % 3 == 0 ? "2,no\n" : "7,yes\n";
  write("y.csv", table);
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 10 --epsilon 100 --out z.csv").status, 0);
  const std::string asked =
      "density z.csv --quantity 'P(x > 5)' --quantity 'q(0.5)' --quantity 'mean(y)' --out d" + mixed_;
  const Outcome run = sotto(asked + "--json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto quantities = nlohmann::json::parse(run.out).at("quantities");
  ASSERT_EQ(quantities.size(), 3u);
  EXPECT_EQ(quantities[0]["quantity"], "P(x > 5)");
  const double truth[] = {2.0 / 3, 7, 16.0 / 3};
  const double near[] = {0.25, 1.5, 1};  // 60 rows, noise of deviation 0.14: five standard errors and more
  for (std::size_t q = 0; q < 3; ++q) {
    EXPECT_NEAR(quantities[q]["mean"].get<double>(), truth[q], near[q]) << q;
    EXPECT_LT(quantities[q]["lower"].get<double>(), quantities[q]["upper"].get<double>()) << q;
    // A few draws put the median into the lesser third, far away: its mean may lie beyond the interval.
    if (q != 1) {
      EXPECT_LT(quantities[q]["lower"].get<double>(), quantities[q]["mean"].get<double>()) << q;
      EXPECT_GT(quantities[q]["upper"].get<double>(), quantities[q]["mean"].get<double>()) << q;
    }
    EXPECT_LT(quantities[q]["upper"].get<double>() - quantities[q]["lower"].get<double>(),
              quantities[q]["prior_upper"].get<double>() - quantities[q]["prior_lower"].get<double>());
    EXPECT_TRUE(nlohmann::json::parse(run.out)["diagnostics"].contains(
        quantities[q]["parameter"].get<std::string>()));
  }
  EXPECT_NE(content("d/report.html").find("P(x &gt; 5)"), std::string::npos);
  EXPECT_NE(content("d/chain_1.csv").find("quantity.3"), std::string::npos);
  const Outcome text = sotto(asked);
  EXPECT_NE(text.out.find("q(0.5): "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("95 % interval"), std::string::npos) << text.out;
  ASSERT_EQ(sotto("privatize y.csv --column c --channel randomized-response --levels yes,no --epsilon "
                  "20 --out c.csv")
                .status,
            0);
  const Outcome categories = sotto("density c.csv --quantity 'P(x = yes)' --out c --json" + quick_);
  ASSERT_EQ(categories.status, 0) << categories.err;
  EXPECT_NEAR(nlohmann::json::parse(categories.out)["quantities"][0]["mean"].get<double>(), 2.0 / 3, 0.15);
  const Outcome shares = sotto("density c.csv --out shares" + quick_);
  EXPECT_NE(shares.out.find("c yes: 0."), std::string::npos) << shares.out;
  EXPECT_NE(shares.out.find("(95 % interval 0."), std::string::npos) << shares.out;
}

// A run of minutes; as long as it takes for draws to exist, and then a signal.
TEST_F(DensityVerb, a_signal_ends_a_run_with_the_draws_made_so_far) {
  write("y.csv", "y\n0.2\n0.3\n0.8\n");
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv").status, 0);
  const std::string start =
      "set -m\n$sotto density z.csv --out d --chains 2 --warmup 10 --thin 1 --grid 11 --draws ";
  const Outcome kept = shell(start + "5000000 &\npid=$!\nsleep 2\nkill -INT $pid\nwait $pid");
  ASSERT_EQ(kept.status, 130) << kept.err;
  EXPECT_NE(kept.err.find("stopped early"), std::string::npos) << kept.err;
  const std::string chain = content("d/chain_1.csv");
  const auto lines = std::count(chain.begin(), chain.end(), '\n');
  EXPECT_GT(lines, 100);
  EXPECT_LT(lines, 5'000'000);
  EXPECT_NE(content("d/summary.json").find("was stopped before its end"), std::string::npos);
  EXPECT_NE(content("d/report.html").find("was stopped before its end"), std::string::npos);
  const Outcome none = shell(
      "set -m\n$sotto density z.csv --out e --warmup 500000000 &\npid=$!\nsleep 1\nkill -INT $pid\nwait "
      "$pid");
  EXPECT_EQ(none.status, 130) << none.err;
  EXPECT_NE(none.err.find("before the first draws"), std::string::npos) << none.err;
  EXPECT_FALSE(exists("e"));
}

TEST_F(DensityVerb, what_is_not_private_is_marked_in_every_file) {
  write("y.csv", "y\n0.2\n0.3\n0.8\n");
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv").status, 0);
  ASSERT_EQ(shell("sed -i 's/^private = true/private = false/' z.csv.channel.toml").status, 0);
  // Confidential data, and a release whose noise did not come from the operating system.
  for (const char* data : {"y.csv --not-private --column y --lower 0 --upper 1", "z.csv"}) {
    const Outcome run = sotto(std::string("density ") + data + " --out d --json" + quick_);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out)["private"], false);
    for (const char* name : {"density.csv", "synthetic.csv", "chain_1.csv", "report.html"}) {
      const std::string text = content(std::string("d/") + name);
      EXPECT_TRUE(text.find("NOT PRIVATE") != std::string::npos ||
                  text.find("NOT_PRIVATE") != std::string::npos)
          << name << " of " << data;
    }
    for (const char* name : {"clusters.json", "summary.json"})
      EXPECT_EQ(nlohmann::json::parse(content(std::string("d/") + name)).at("private"), false) << name;
    EXPECT_EQ(read_csv_cells(folder_ / "d/density.csv", {"NOT_PRIVATE"})[0][50], "1");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "d"))
      files += entry.path().filename() == "outputs.txt" ? 0 : 1;  // which holds names alone
    EXPECT_EQ(files, 7u) << "a file that this test does not look at";
  }
  const Outcome text = sotto("density y.csv --not-private --column y --lower 0 --upper 1 --out d" + quick_);
  EXPECT_TRUE(text.out.starts_with("NOT PRIVATE")) << text.out << text.err;
}

TEST_F(DensityVerb, bad_input_is_refused_in_one_line) {
  write("y.csv", "y,c\n0.2,a\n0.3,b\n0.8,a\n");
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv").status, 0);
  ASSERT_EQ(
      sotto("privatize y.csv --column y --lower 0 --upper 2 --epsilon 1 --steps 7 --out other.csv").status,
      0);
  ASSERT_EQ(
      sotto("privatize y.csv --column c --channel randomized-response --levels a,b --epsilon 1 --out c.csv")
          .status,
      0);
  ASSERT_EQ(sotto("privatize y.csv --column y --channel smoothed-histogram --lower 0 --upper 1 --epsilon 1 "
                  "--draws 2 --out s.csv")
                .status,
            0);
  ASSERT_EQ(
      sotto("privatize y.csv --column y --lower 0 --upper 1 --epsilon 1 --steps 50 --out coarse.csv").status,
      0);
  std::filesystem::create_directory(folder_ / "other");
  write("other/clusters.json", R"({"partition_vi": {"allocation": [0, 0]}})");
  write("category.csv", "c\na\nb\nz\n");
  write("infinite.csv", "y\n0.5\ninf\n0.25\n");
  write("text.csv", "y\n0.5\nmany\n0.25\n");
  write("nan.csv", "y\n0.5\nNaN\n0.25\n");
  write("short.csv", "y\n0.5\n");
  write("range.csv", "y\n0.5\n7\n");
  ASSERT_EQ(
      sotto("privatize y.csv --column y --channel gaussian --lower 0 --upper 1 --rho 1 --out g.csv").status,
      0);
  ASSERT_EQ(sotto("privatize y.csv --column y --channel perturbed-histogram --bins 3 --lower 0 --upper 1 "
                  "--epsilon 1 --out p.csv")
                .status,
            0);
  write("far.csv", "y\n0.5\n1e300\n0.25\n");
  write("halves.csv", "bin_lower,bin_upper,count\n0,0.33,1\n0.33,0.67,0.5\n0.67,1,2\n");
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
      {"c.csv --kernel normal", EX_CONFIG},
      {"z.csv --kernel categorical", EX_CONFIG},
      {"z.csv --channel-file c.csv.channel.toml", EX_DATAERR},
      {"category.csv --channel-file c.csv.channel.toml", EX_DATAERR},
      {"z.csv --mixing stick", EX_CONFIG},
      {"z.csv --mixing pitman-yor --discount 1", EX_CONFIG},
      {"z.csv --mixing finite --components 1", EX_CONFIG},
      {"z.csv --mixing pitman-yor --algorithm blocked-gibbs", EX_CONFIG},
      {"z.csv --concentration 0", EX_CONFIG},
      {"coarse.csv --algorithm neal8", EX_CONFIG},
      {"z.csv --compare absent", EX_NOINPUT},
      {"z.csv --compare other", EX_DATAERR},
      {"far.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"halves.csv --channel-file p.csv.channel.toml", EX_DATAERR},
      {"g.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"z.csv --channel-file g.csv.channel.toml", EX_DATAERR},
      {"p.csv --channel-file s.csv.channel.toml", EX_DATAERR},
      {"y.csv --not-private --column y,c --lower 0 --upper 1", EX_USAGE},
      {"infinite.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"text.csv --channel-file z.csv.channel.toml", EX_DATAERR},
      {"z.csv --column other", EX_USAGE},
      {"z.csv --kernel cauchy", EX_CONFIG},
      {"z.csv --algorithm gibbs", EX_CONFIG},
      {"z.csv --level 2", EX_CONFIG},
      {"z.csv --algorithm neal3", EX_CONFIG},
      {"z.csv --base 'shape'", EX_USAGE},
      {"z.csv --base 'shape=three'", EX_USAGE},
      {"z.csv --base 'shape=3, shape=4'", EX_USAGE},
      {"z.csv --base 'shapes=3'", EX_USAGE},
      {"z.csv --base 'shape=0'", EX_CONFIG},
      {"z.csv --kernel beta --base 'shape=3'", EX_USAGE},
      {"z.csv --concentration-prior=2", EX_USAGE},
      {"z.csv --concentration-prior=2,-2", EX_CONFIG},
      {"z.csv --imputations 0", EX_CONFIG},
      {"z.csv --algorithm slice --imputations 2", EX_CONFIG},
      {"s.csv --imputations 2", EX_CONFIG},
      {"y.csv --not-private --column y --lower 0 --upper 1 --algorithm neal5 --imputations 2", EX_CONFIG},
      {"z.csv --quantity 'P(x = 1)'", EX_USAGE},
      {"z.csv --quantity median", EX_USAGE},
      {"c.csv --quantity mean", EX_USAGE},
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

// What the prior is made of, from the bounds or as asked; a base that expects other data moves the estimate of a weak release.
TEST_F(DensityVerb, priors_of_ones_own) {
  write("y.csv", "y\n2\n3\n8\n");
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 16 --epsilon 1 --out z.csv").status, 0);
  const auto summary = [&](const std::string& options) {
    const Outcome run =
        sotto("density z.csv --json --quantity mean --algorithm neal5 --out d" + quick_ + options);
    EXPECT_EQ(run.status, 0) << options << run.err;
    return nlohmann::json::parse(run.out);
  };
  const auto plain = summary("");
  EXPECT_EQ(plain["columns"][0]["base"],
            (nlohmann::json{{"mean", 8}, {"precision", 0.03}, {"shape", 3}, {"rate", 2}, {"scales", 4}}));
  EXPECT_FALSE(plain.contains("concentration_prior"));
  const auto own =
      summary(" --base 'mean=15, precision = 5,rate=0.5' --concentration-prior=3,1.5 --imputations 4");
  EXPECT_EQ(own["columns"][0]["base"],
            (nlohmann::json{{"mean", 15}, {"precision", 5}, {"shape", 3}, {"rate", 0.5}, {"scales", 4}}));
  EXPECT_EQ(own["concentration_prior"], (nlohmann::json{{"shape", 3}, {"rate", 1.5}}));
  EXPECT_EQ(own["imputations"], 4);
  EXPECT_GT(own["quantities"][0]["mean"].get<double>(), 13);
  EXPECT_LT(plain["quantities"][0]["mean"].get<double>(), 13);
  const std::string page = content("d/report.html");
  EXPECT_NE(page.find("Base measure of y: mean 15, precision 5, shape 3, rate 0.5, scales 4."),
            std::string::npos);
  EXPECT_NE(page.find("a gamma prior of shape 3 and rate 1.5"), std::string::npos);
  EXPECT_NE(page.find("4 confidential values were imputed per row"), std::string::npos);
  EXPECT_EQ(summary(" --concentration-prior")["concentration_prior"],
            (nlohmann::json{{"shape", 2}, {"rate", 2}}));
}

// Half of the values stand at the upper bound, so that q(0.9) is the bound, and no other end is.
TEST_F(DensityVerb, intervals_of_quantiles_reach_to_a_bound_next_to_which_they_end) {
  std::string table = "y\n";
  for (int i = 0; i < 60; ++i) table += i % 2 == 0 ? "16\n" : std::to_string(6 + i % 7) + "\n";
  write("y.csv", table);
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 16 --epsilon 200 --out z.csv").status, 0);
  const Outcome run =
      sotto("density z.csv --quantity mean --quantity 'q(0.1)' --quantity 'q(0.9)' --out d" + quick_);
  EXPECT_EQ(run.status, 0) << run.err;
  const nlohmann::json quantities = nlohmann::json::parse(content("d/summary.json"))["quantities"];
  EXPECT_EQ(quantities[2]["upper"], 16.0);
  EXPECT_GT(quantities[2]["lower"], 15.0);
  for (const int other : {0, 1}) {
    EXPECT_LT(quantities[other]["upper"], 15.0);
    EXPECT_GT(quantities[other]["lower"], 1.0);
  }
}

TEST_F(DensityVerb, refuses_confidential_text) {
  write("t.csv", "region\nnorth\nsouth\n");
  const Outcome run =
      sotto("density t.csv --not-private --column region --lower 0 --upper 10 --out d" + quick_);
  EXPECT_EQ(run.status, EX_DATAERR);
  EXPECT_NE(run.err.find("the column 'region' has no numbers"), std::string::npos) << run.err;
}

TEST_F(DensityVerb, counts_have_probabilities) {
  std::string table = "y\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i % 5) + "\n";
  write("y.csv", table);
  ASSERT_EQ(sotto("privatize y.csv --column y --lower 0 --upper 20 --epsilon 30 --out z.csv").status, 0);
  const Outcome run =
      sotto("density z.csv --kernel poisson --mixing finite --concentration-prior --out d" + quick_);
  EXPECT_EQ(run.status, EX_CONFIG) << run.err;
  const Outcome right = sotto("density z.csv --kernel poisson --mixing finite --out d" + quick_);
  ASSERT_EQ(right.status, 0) << right.err;
  double total = 0;
  const auto columns = read_csv_cells(folder_ / "d/density.csv", {"mean"});
  for (const std::string& p : columns[0]) total += std::stod(p);
  EXPECT_NEAR(total, 1, 0.01);
  EXPECT_NE(file_content(folder_ / "d/report.html").find("class=\"inner\""), std::string::npos);
}

// Under every channel; what is said of one noisy value is that it says next to nothing.
TEST_F(DensityVerb, one_row_is_enough) {
  write("y.csv", "y,c\n0.2,a\n");
  const std::string numbers = "--column y --lower 0 --upper 1 --rho 0.1 --channel ";
  for (const std::string& channel :
       {numbers + "laplace", numbers + "gaussian", numbers + "wavelet", numbers + "smoothed-histogram",
        numbers + "perturbed-histogram",
        std::string("--column c --levels a,b --rho 0.1 --channel randomized-response")}) {
    ASSERT_EQ(sotto("privatize y.csv " + channel + " --overwrite --out z.csv").status, 0) << channel;
    for (const char* algorithm : {"neal5", "slice"}) {
      const Outcome run =
          sotto("density z.csv --json --out d --draws 1000 --chains 2 --grid 51 --thin 1 --algorithm " +
                std::string(algorithm));
      ASSERT_EQ(run.status, 0) << channel << run.err;
      EXPECT_LT(nlohmann::json::parse(run.out)["columns"][0]["hellinger_from_prior"].get<double>(), 0.25)
          << channel;
    }
  }
  EXPECT_EQ(sotto("density y.csv --not-private --column y --lower 0 --upper 1 --out d" + quick_).status, 0);
}

}  // namespace
}  // namespace sotto
