// sotto experiment mixtures: every figure and table runs, has its columns, and a fact that must hold does. Seeds are fixed: numbers
// are the same in every run.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/program.hpp"

namespace sotto {
namespace {

using Json = nlohmann::json;

class MixtureFiguresProgram : public Program {
 protected:
  /// The lines of `sotto experiment mixtures ARGUMENTS`; its files are there, with these measures.
  [[nodiscard]] Json run(const std::string& arguments, const std::string& measures) const {
    const Outcome outcome = sotto("experiment mixtures --out e --json --repeats 1 " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string table = content("e/table.csv");
    EXPECT_EQ(table.substr(0, table.find('\n')),
              "mechanism,level,rows,epsilon,delta,algorithm,repeat,sweeps," + measures + ",seconds");
    const std::string page = content("e/report.html");
    EXPECT_NE(page.find("</html>"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos);
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(page.find("<svg") != std::string::npos, arguments.find("--table") == std::string::npos);
    Json lines = Json::parse(outcome.out).at("outcomes");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), static_cast<std::ptrdiff_t>(lines.size()) + 1);
    return lines;
  }

  /// The one line of a run.
  static double value(const Json& lines, const std::string& measure, const std::string& mechanism,
                      const std::string& algorithm, double epsilon, int level = 0, int rows = 0,
                      double delta = 0) {
    for (const Json& line : lines)
      if (line["mechanism"] == mechanism && line["algorithm"] == algorithm &&
          std::abs(line["epsilon"].get<double>() - epsilon) < 0.1 && line["level"] == level &&
          (rows == 0 || line["rows"] == rows) && (delta == 0 || line["delta"] == delta))
        return line[measure].get<double>();
    ADD_FAILURE() << "no line of " << mechanism << " " << algorithm << " " << epsilon;
    return NAN;
  }

  /// Proposition 1 of [BFR24], at the epsilon that the noise really keeps.
  static void expect_bound(const Json& lines) {
    for (const Json& line : lines)
      EXPECT_GE(line["smallest_ratio"].get<double>(),
                std::exp(-line["true_epsilon"].get<double>()) * (1 - 1e-9))
          << line;
  }
};

TEST_F(MixtureFiguresProgram, budgets_are_named_as_pages_print_them) {
  const Json lines =
      run("--figure 6 --share 0.001 --epsilon 5.97 --method neal5", "from_truth,width,mean,sd,clusters");
  ASSERT_EQ(lines.size(), 2U);
  for (const Json& line : lines) EXPECT_NEAR(line["epsilon"].get<double>(), std::sqrt(2 * 17.8), 1e-9);
}

TEST_F(MixtureFiguresProgram, figure_1_comes_to_the_truth_as_epsilon_grows) {
  const Json lines = run("--figure 1 --share 0.01", "from_truth,from_prior,width,clusters,acceptance");
  ASSERT_EQ(lines.size(), 20U);
  for (const char* algorithm : {"neal5", "neal5-m5", "slice"}) {
    const double near = value(lines, "from_truth", "laplace", algorithm, 50);
    EXPECT_LT(near, 0.5 * value(lines, "from_truth", "laplace", algorithm, 1)) << algorithm;
    EXPECT_LT(near, value(lines, "from_truth", "laplace", "deconvolution", 50)) << algorithm;
  }
}

TEST_F(MixtureFiguresProgram, figure_2_accepts_above_the_bound_and_less_as_epsilon_grows) {
  const Json lines = run("--figure 2 --share 0.002", "acceptance,ess,clusters,smallest_ratio,true_epsilon");
  ASSERT_EQ(lines.size(), 60U);
  expect_bound(lines);
  for (const int rows : {50, 200, 500, 1000})
    for (const char* algorithm : {"neal5", "neal5-m5", "slice"})
      EXPECT_LT(value(lines, "acceptance", "laplace", algorithm, 50, 0, rows),
                0.6 * value(lines, "acceptance", "laplace", algorithm, 1, 0, rows))
          << rows << algorithm;
}

TEST_F(MixtureFiguresProgram, figure_3_printed_wavelet_noise_keeps_a_smaller_epsilon) {
  const Json lines = run("--figure 3 --share 0.02 --epsilon 50 --method neal5-wide-prior",
                         "from_truth,from_prior,at_ends,acceptance,true_epsilon");
  const std::string wide = "neal5-wide-prior";
  for (const auto& [level, larger] : {std::pair{2, 9.3}, std::pair{4, 7.3}, std::pair{6, 6.6}}) {
    EXPECT_NEAR(value(lines, "true_epsilon", "wavelet-printed", wide, 50, level), 50 / larger, 0.1);
    EXPECT_NEAR(value(lines, "true_epsilon", "wavelet", wide, 50, level), 50, 1e-3);
  }
  // 0.18 once the chain has mixed; 0.5 where nothing is learned
  EXPECT_LT(value(lines, "from_truth", "laplace", wide, 50), 0.3);
}

TEST_F(MixtureFiguresProgram, figure_4_printed_gaussian_noise_breaks_its_promise) {
  const Json lines =
      run("--figure 4 --share 0.004 --method neal2 neal5", "from_truth,from_prior,clusters,ess,true_delta");
  for (const double epsilon : {5.0, 10.0, 25.0, 50.0}) {
    EXPECT_GT(value(lines, "true_delta", "gaussian-printed", "neal2", epsilon), 0.5);
    EXPECT_NEAR(value(lines, "true_delta", "gaussian", "neal2", epsilon), 0.1, 1e-6);
  }
  EXPECT_LT(value(lines, "from_truth", "gaussian-printed", "neal2", 50),
            0.6 * value(lines, "from_truth", "gaussian-printed", "neal2", 5));
}

TEST_F(MixtureFiguresProgram, figure_5_algorithms_agree_where_they_share_the_prior) {
  const Json lines =
      run("--figure 5 --share 0.02 --epsilon 5 --method neal2 neal5-same-prior", "ess,clusters,true_delta");
  for (const double delta : {0.01, 0.1, 0.25})
    EXPECT_NEAR(value(lines, "clusters", "gaussian-printed", "neal2", 5, 0, 250, delta),
                value(lines, "clusters", "gaussian-printed", "neal5-same-prior", 5, 0, 250, delta), 1.5);
}

TEST_F(MixtureFiguresProgram, figure_6_comes_to_the_posterior_given_the_data) {
  const Json lines =
      run("--figure 6 --share 0.01 --method neal5 slice deconvolution", "from_truth,width,mean,sd,clusters");
  for (const char* mechanism : {"laplace", "gaussian"})
    for (const char* algorithm : {"neal5", "slice"})
      EXPECT_LT(value(lines, "from_truth", mechanism, algorithm, 104),
                0.8 * value(lines, "from_truth", mechanism, algorithm, 5.967));
}

TEST_F(MixtureFiguresProgram, figures_7_and_8_pay_for_more_than_was_promised) {
  for (const char* figure : {"7", "8"}) {
    const Json lines =
        run(std::string("--share 0.001 --epsilon 2 50 --method neal5 slice --figure ") + figure,
            "from_truth,at_ends,acceptance,smallest_ratio,true_epsilon,ess");
    ASSERT_EQ(lines.size(), 24U);
    expect_bound(lines);
    // k log(exp(epsilon / k) + 2) with k = 28
    EXPECT_NEAR(value(lines, "true_epsilon", "histogram-printed", "neal5", 2, 4), 31.4, 0.1);
    EXPECT_NEAR(value(lines, "true_epsilon", "histogram", "neal5", 2, 4), 2, 1e-9);
  }
}

TEST_F(MixtureFiguresProgram, figure_9_bands_narrow_with_rows_and_epsilon) {
  const Json lines = run("--figure 9 --share 0.02 --epsilon 10 50", "from_truth,width,covered");
  ASSERT_EQ(lines.size(), 8U);
  const auto width = [&](double epsilon, int rows) {
    return value(lines, "width", "laplace", "slice", epsilon, 0, rows);
  };
  EXPECT_LT(width(50, 1000), 0.5 * width(50, 50));
  for (const int rows : {50, 200, 500, 1000}) EXPECT_LT(width(50, rows), 0.8 * width(10, rows));
}

TEST_F(MixtureFiguresProgram, figure_10_finds_the_groups_once_epsilon_is_large) {
  const Json lines = run("--figure 10 --share 0.01 --epsilon 1 50", "ari,clusters");
  for (const int rows : {50, 200, 500, 1000}) {
    EXPECT_LT(value(lines, "ari", "laplace", "slice", 1, 0, rows), 0.2);
    EXPECT_GT(value(lines, "ari", "laplace", "slice", 50, 0, rows), 0.7);
  }
}

TEST_F(MixtureFiguresProgram, figure_11_probabilities_have_the_mean_of_the_table) {
  const Json lines = run("--figure 11 --share 0.002 --epsilon 10", "clusters,ess");
  ASSERT_EQ(lines.size(), 8U);
  std::istringstream curves(content("e/curves.csv"));
  std::string line;
  double mean = 0, total = 0;
  while (std::getline(curves, line)) {
    if (!line.starts_with("laplace,0,200,10,0,slice,probability,")) continue;
    double count = 0, probability = 0;
    ASSERT_EQ(std::sscanf(line.c_str() + 37, "%lf,%lf", &count, &probability), 2) << line;
    mean += count * probability;
    total += probability;
  }
  EXPECT_NEAR(total, 1, 1e-4);
  EXPECT_NEAR(mean, value(lines, "clusters", "laplace", "slice", 10, 0, 200), 1e-3);
}

TEST_F(MixtureFiguresProgram, figure_12_accepts_above_the_bound) {
  const Json lines = run("--figure 12 --share 0.002", "acceptance,smallest_ratio,true_epsilon");
  ASSERT_EQ(lines.size(), 35U);
  expect_bound(lines);
  EXPECT_LT(value(lines, "acceptance", "wavelet-printed", "neal5", 250, 6), 0.1);
  EXPECT_GT(value(lines, "acceptance", "wavelet-printed", "neal5", 2, 6), 0.5);
}

TEST_F(MixtureFiguresProgram, figure_13_has_less_noise_for_a_larger_delta) {
  const Json lines = run("--figure 13 --share 0.004 --epsilon 5 50 --method neal2",
                         "from_truth,from_prior,clusters,ess,true_delta");
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_LT(value(lines, "true_delta", "gaussian-printed", "neal2", 5, 0, 250, 0.01),
            value(lines, "true_delta", "gaussian-printed", "neal2", 5, 0, 250, 0.25));
  EXPECT_LT(value(lines, "from_truth", "gaussian-printed", "neal2", 50, 0, 250, 0.25),
            value(lines, "from_truth", "gaussian-printed", "neal2", 5, 0, 250, 0.25));
}

// 100 releases: the variance of their sd is far below the margins.
TEST_F(MixtureFiguresProgram, figure_14_releases_are_spread_by_the_noise) {
  const Json lines = run("--figure 14", "mean,sd,noise_sd");
  ASSERT_EQ(lines.size(), 4U);
  // 3.11 / sqrt(2 * 17.8), the standard deviation, or the scale, which is sqrt(2) times smaller
  EXPECT_NEAR(value(lines, "noise_sd", "gaussian", "release", 5.967), 0.5212, 1e-3);
  EXPECT_NEAR(value(lines, "noise_sd", "laplace", "release", 5.967), 0.7371, 1e-3);
  for (const Json& line : lines)
    EXPECT_NEAR(line["sd"].get<double>(), std::hypot(0.7935, line["noise_sd"].get<double>()), 0.15) << line;
}

TEST_F(MixtureFiguresProgram, table_1_algorithms_for_one_model_agree) {
  const Json lines = run("--table 1 --share 0.1", "clusters,clusters_error,ess");
  ASSERT_EQ(lines.size(), 8U);
  for (const std::size_t first : {0, 4}) {
    const Json& exact = lines[first];  // Neal 2, the best mixing
    for (std::size_t k = 1; k < 4; ++k) {
      const Json& other = lines[first + k];
      EXPECT_NEAR(
          other["clusters"].get<double>(), exact["clusters"].get<double>(),
          4 * std::hypot(other["clusters_error"].get<double>(), exact["clusters_error"].get<double>()))
          << other;
    }
  }
}

TEST_F(MixtureFiguresProgram, the_same_for_any_number_of_threads) {
  const auto numbers = [&](const std::string& threads) {
    Json lines = run("--figure 6 --share 0.001 --threads " + threads, "from_truth,width,mean,sd,clusters");
    for (Json& line : lines) line.erase("seconds");
    return lines;
  };
  EXPECT_EQ(numbers("1"), numbers("3"));
}

TEST_F(MixtureFiguresProgram, a_signal_ends_it_with_what_was_run) {
  const Outcome outcome = shell(
      "$sotto experiment mixtures --figure 2 --share 0.02 --out e >lines.txt &\npid=$!\n"
      "while ! grep -q slice lines.txt; do sleep 0.1; done\nkill -INT $pid\nwait $pid");
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("stopped early"), std::string::npos) << outcome.err;
  const std::string table = content("e/table.csv");
  EXPECT_GE(std::count(table.begin(), table.end(), '\n'), 4);
  EXPECT_EQ(table.back(), '\n');
  EXPECT_NE(content("e/report.html").find("Stopped early"), std::string::npos);
}

TEST_F(MixtureFiguresProgram, a_signal_ends_the_experiments_on_chains_with_what_was_run) {
  const Outcome outcome = shell(
      "$sotto experiment clipping --problem normal --method metropolis --rows 1000 --share 0.02 --out e "
      ">lines.txt &\npid=$!\n"
      "while ! grep -q metropolis lines.txt; do sleep 0.1; done\nkill -INT $pid\nwait $pid");
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("stopped early; the runs that ended are in e"), std::string::npos)
      << outcome.err;
  const std::string table = content("e/table.csv");
  EXPECT_GE(std::count(table.begin(), table.end(), '\n'), 2);
  EXPECT_EQ(table.back(), '\n');
}

TEST_F(MixtureFiguresProgram, refuses_what_it_does_not_know) {
  for (const char* wrong :
       {"", "--figure 0", "--figure 15", "--table 2", "--figure 1 --table 1", "--figure 1 --rows 200",
        "--figure 1 --bound 1", "--figure 1 --method nothing", "--figure 1 --epsilon 3"})
    EXPECT_EQ(sotto(std::string("experiment mixtures --out e ") + wrong).status, 64) << wrong;
  EXPECT_EQ(sotto("experiment dp-hmc --out e --figure 1").status, 64);
}

}  // namespace
}  // namespace sotto
