#include "sotto_io/density_warnings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace sotto {
namespace {

// Sentences of a run on [0, 60] with this density on a grid of so many points, and bands of this width, 3 before any data, which begin
// at so much of the density; less what is said of chains.
std::vector<std::string> piles_of(const std::function<double(double)>& density, Eigen::Index points,
                                  double width = 0.5, double lower = 0.5) {
  DensityReport report;
  report.result.draws.chains.resize(1);
  ColumnDensity column;
  column.name = "wait";
  column.width = width;
  column.prior_width = 3;
  column.grid = mixture::even_grid({0, 60}, points);
  column.bands.mean = column.grid.unaryExpr(density);
  column.bands.lower = lower * column.bands.mean;
  report.result.columns = {column};
  return warnings(report);
}

TEST(DensityWarnings, values_that_stand_at_a_bound_are_told_with_the_bound) {
  const auto normal = [](double x) { return 0.03 * std::exp(-(x - 30) * (x - 30) / 128); };
  for (const Eigen::Index points : {101, 201, 401}) {
    const auto lower = piles_of([&](double x) { return normal(x) + (x == 0 ? 0.48 : 0); }, points);
    ASSERT_EQ(lower.size(), 1u) << points;
    EXPECT_NE(lower[0].find("wait: the estimate has 7 % of the probability right at the lower bound 0."),
              std::string::npos)
        << lower[0];
    const auto upper = piles_of([&](double x) { return normal(x) + (x == 60 ? 0.5 : 0); }, points);
    ASSERT_EQ(upper.size(), 1u) << points;
    EXPECT_NE(upper[0].find("upper bound 60."), std::string::npos) << upper[0];
    EXPECT_TRUE(piles_of(normal, points).empty());
    // Where the release says next to nothing, such a pile would be the prior's, and may be where the band goes down to .008.
    EXPECT_TRUE(
        piles_of([&](double x) { return normal(x) + (x == 60 ? 0.5 : 0); }, points, 0.5, 0.1).empty());
    EXPECT_TRUE(piles_of([&](double x) { return normal(x) + (x == 60 ? 0.5 : 0); }, points, 2.9).empty());
    // Dense at the bound, and falling from there: an exponential of mean 3.
    EXPECT_TRUE(piles_of([](double x) { return std::exp(-x / 3) / 3; }, points).empty());
    EXPECT_TRUE(piles_of([](double) { return 1.0 / 60; }, points).empty());
  }
}

TEST(DensityWarnings, intervals_that_the_prior_made_are_told_by_their_names) {
  DensityReport report;
  report.channel.emplace();
  report.result.draws.chains.resize(1);
  report.result.columns.resize(1);
  const auto quantity = [](const char* text, double lower, double upper) {
    QuantityEstimate q;
    q.text = text;
    q.mean = (lower + upper) / 2;
    q.lower = lower, q.upper = upper;
    q.prior_lower = 10, q.prior_upper = 50;
    return q;
  };
  report.result.quantities = {quantity("mean", 20, 49.9), quantity("q(0.9)", 20, 50.1)};
  auto told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].find("The release says next to nothing of q(0.9): "), 0u) << told[0];
  report.channel.reset();
  told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].find("The confidential data say next to nothing of q(0.9): "), 0u) << told[0];
  report.result.quantities.pop_back();
  EXPECT_TRUE(warnings(report).empty());
}

// Of a base measure of the user's own.
TEST(DensityWarnings, a_base_that_the_data_contradict_is_told) {
  DensityReport report;
  report.channel.emplace();
  report.result.draws.chains.resize(1);
  report.result.columns.resize(1);
  QuantityEstimate q;
  q.text = "mean";
  q.mean = 31, q.lower = 30, q.upper = 32;
  q.prior_lower = 59.9, q.prior_upper = 60;
  report.result.quantities = {q};
  // Of intervals that are elsewhere nothing is the prior's alone.
  EXPECT_TRUE(warnings(report).empty());
  report.settings.base = "mean=500";
  auto told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].find("The data contradict what --base expected of mean: "), 0u) << told[0];
  report.result.quantities[0].prior_lower = 20;
  told = warnings(report);
  EXPECT_TRUE(told.empty()) << told[0];
}

// Three are named: what was asked for, and the worst, not the first.
TEST(DensityWarnings, name_what_was_asked_for_and_the_worst_of_the_chains) {
  DensityReport report;
  report.channel.emplace();
  report.result.draws.chains.resize(4);
  report.result.columns.resize(1);
  report.result.quantities.resize(1);
  report.result.quantities[0].text = "q(0.9)";
  report.result.quantities[0].parameter = "quantity.1";
  const std::vector<std::pair<const char*, double>> rhats{
      {"a", 1.02}, {"b", 1.03}, {"c", 1.04}, {"quantity.1", 1.015}, {"d", 1.001}, {"e", std::nan("")}};
  for (const auto& [name, rhat] : rhats) {
    ParameterSummary line;
    line.parameter = name;
    line.rhat = rhat;
    line.ess_bulk = line.ess_tail = 1000 / rhat;
    report.diagnostics.push_back(line);
  }
  const auto told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("q(0.9) (1.015), c (1.040), b (1.030)"), std::string::npos) << told[0];
}

// No release shows whether it does.
TEST(DensityWarnings, the_kernel_poisson_takes_counts_to_vary_within_groups) {
  DensityReport report;
  report.result.columns.resize(1);
  report.result.kernel = "poisson";
  ASSERT_EQ(warnings(report).size(), 1u);
  EXPECT_NE(warnings(report)[0].find("--kernel rounded-normal"), std::string::npos);
  report.result.kernel = "rounded-normal";
  EXPECT_TRUE(warnings(report).empty());
}

// Four fifths of a normal of standard deviation 2 or 4 lie within 5.1 or 10.3 of [0, 60], an eighth of which is 7.5.
TEST(DensityWarnings, bounds_that_values_fill_little_of_are_told) {
  DensityReport report;
  report.channel.emplace();
  report.channels = {"laplace"};
  report.result.columns.resize(1);
  ColumnDensity& column = report.result.columns[0];
  column.name = "wait";
  column.width = 0.5, column.prior_width = 3;
  column.grid = Position::LinSpaced(201, 0, 60);
  for (const double sd : {2.0, 4.0}) {
    column.bands.mean =
        column.grid.unaryExpr([sd](double x) { return std::exp(-(x - 30) * (x - 30) / (2 * sd * sd)); });
    column.bands.lower = column.bands.mean;
    const auto told = warnings(report);
    ASSERT_EQ(told.size(), sd == 2 ? 1u : 0u);
    if (sd == 2) {
      EXPECT_EQ(told[0].find("wait: four fifths of the values seem to lie within 9 % of"), 0u) << told[0];
    }
  }
  column.bands.mean = column.grid.unaryExpr([](double x) { return std::exp(-(x - 30) * (x - 30) / 8); });
  report.channels = {"perturbed-histogram"};
  EXPECT_TRUE(warnings(report).empty());
  report.channels = {"laplace"};
  report.channel.reset();
  EXPECT_TRUE(warnings(report).empty());
}

// As many of them everywhere, and known well.
ColumnDensity even_days(double most) {
  ColumnDensity column;
  column.name = "days";
  column.width = 0.5, column.prior_width = 3;
  column.grid = Position::LinSpaced(201, 0, most);
  column.bands.mean = column.bands.lower = Position::Ones(201);
  return column;
}

/// How they were released; `bins`: of a histogram.
Column released_days(const char* channel, double lower, double upper, double epsilon, int bins = 16) {
  ColumnSettings s;
  s.name = "days";
  s.channel = channel;
  s.lower = lower, s.upper = upper, s.bins = bins;
  return make_column(s, {Epsilon(epsilon), std::nullopt, std::nullopt}, 100);
}

DensityReport report_of_days(const Column& released, double most) {
  DensityReport report;
  report.channel.emplace();
  report.channels = {released.settings.channel};
  report.channel->columns = {released};
  report.result.columns = {even_days(most)};
  return report;
}

TEST(DensityWarnings, thresholds_at_whole_numbers_are_told) {
  DensityReport report;
  report.result.columns = {even_days(7)};
  QuantityEstimate q;
  q.text = "P(x > 5)";
  report.result.quantities = {q};
  EXPECT_TRUE(warnings(report).empty());
  report.result.quantities[0].threshold = 5;
  const auto told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(
      told[0].find(
          "Note: if days is of whole numbers, or rounded to steps of 5 or 10, ask between the steps, as "
          "of whole numbers with 5.5 in the place of 5"),
      0u)
      << told[0];
  report.result.quantities[0].threshold = 5.5;
  EXPECT_TRUE(warnings(report).empty());
  report.result.quantities[0].threshold = 5;
  report.result.columns[0].grid = Position::LinSpaced(201, 0, 7.25);
  EXPECT_TRUE(warnings(report).empty());
  report.result.columns[0].grid = Position::LinSpaced(8, 0, 7);
  report.result.columns[0].discrete = true;
  EXPECT_TRUE(warnings(report).empty());
}

TEST(DensityWarnings, that_whole_numbers_lie_at_the_edges_of_bins_is_told) {
  DensityReport report = report_of_days(released_days("perturbed-histogram", 0, 16, 1), 16);
  const auto told = [&](double lower, double upper, int bins) {
    report.channel->columns = {released_days("perturbed-histogram", lower, upper, 1, bins)};
    return warnings(report);
  };
  ASSERT_EQ(told(0, 16, 16).size(), 1u);
  EXPECT_EQ(told(0, 16, 16)[0].find("Note: where within a bin of width 1 values of days lie no release"), 0u);
  EXPECT_TRUE(told(-0.5, 16.5, 17).empty());
  EXPECT_EQ(told(-0.5, 16.5, 12).size(), 1u);
  report.result.columns[0].discrete = true;
  EXPECT_TRUE(told(0, 16, 16).empty());
  report.result.kernel = "rounded-normal";  // which knows no more of them than of their neighbours
  ASSERT_EQ(told(-0.5, 16.5, 12).size(), 1u);
  EXPECT_EQ(told(-0.5, 16.5, 12)[0].find("Bins of days are 1.42 wide: which of a bin's whole numbers"), 0u);
  EXPECT_EQ(told(0, 16, 16).size(), 1u);
  EXPECT_TRUE(told(-0.5, 16.5, 17).empty());
}

// A density that lies in a bin or two: within them the prior alone says where.
TEST(DensityWarnings, that_values_lie_in_a_bin_or_two_is_told) {
  DensityReport report = report_of_days(released_days("perturbed-histogram", 0, 16, 1), 16);
  const auto told_of = [&](double width) {
    ColumnDensity& column = report.result.columns[0];
    column.bands.mean =
        column.grid.unaryExpr([&](double x) { return std::abs(x - 8) <= width / 2 ? 1.0 : 0.0; });
    return warnings(report)[0];
  };
  EXPECT_EQ(told_of(2.5).find("days: four fifths of the values seem to lie within 7"), 0u) << told_of(2.5);
  EXPECT_EQ(told_of(3.5).find("Note: where within a bin"), 0u);
}

TEST(DensityWarnings, that_noise_hides_what_is_equal_to_a_bound_is_told) {
  DensityReport report = report_of_days(released_days("laplace", 0.25, 7.75, 5), 8);  // scale 1.5
  report.result.quantities.resize(1);
  report.result.quantities[0].text = "P(x < 1.2)";
  report.result.quantities[0].threshold = 1.2;
  ASSERT_EQ(warnings(report).size(), 1u);
  EXPECT_EQ(
      warnings(report)[0].find("P(x < 1.2): the noise, of scale 1.5, hides how many values are equal to "
                               "the bound 0.25,"),
      0u);
  report.result.quantities[0].threshold = 6.4;
  EXPECT_NE(warnings(report)[0].find("the bound 7.75"), std::string::npos);
  report.result.quantities[0].threshold = 1.8;
  EXPECT_TRUE(warnings(report).empty());
}

// Even counts and heaps at tens look like their neighbours.
TEST(DensityWarnings, what_rounded_normal_cannot_know_after_noise_is_told) {
  DensityReport report = report_of_days(released_days("laplace", 0, 7, 1), 7);
  report.result.columns[0].discrete = true;
  EXPECT_TRUE(warnings(report).empty());
  report.result.kernel = "rounded-normal";
  ASSERT_EQ(warnings(report).size(), 1u);
  EXPECT_NE(warnings(report)[0].find("If values skip numbers"), std::string::npos);
}

// A density is the same for many numbers of clusters.
TEST(DensityWarnings, clusters_that_mix_slowly_are_no_warning_of_the_density) {
  DensityReport report;
  report.result.draws.chains.resize(4);
  report.result.columns.resize(1);
  for (const auto& [name, rhat] : {std::pair{"clusters", 1.2}, std::pair{"log_density.1", 1.001}}) {
    ParameterSummary line;
    line.parameter = name;
    line.rhat = rhat;
    line.ess_bulk = line.ess_tail = 1000;
    report.diagnostics.push_back(line);
  }
  auto told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].find("Note: the number of clusters is known more roughly"), 0u) << told[0];
  report.diagnostics[1].rhat = 1.03;
  told = warnings(report);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("R-hat is above 1.01 for log_density.1 (1.030)"), std::string::npos) << told[0];
}

TEST(DensityWarnings, a_density_has_no_single_values) {
  DensityReport report;
  report.result.columns.resize(1);
  report.result.columns[0].grid = Position::LinSpaced(201, 0, 60);
  report.result.columns[0].bands.mean = Position::Constant(201, 1.0 / 60);
  report.result.quantities.resize(1);
  report.result.quantities[0].text = "P(x > 3)";
  EXPECT_TRUE(warnings(report).empty());
  report.result.quantities.resize(2);
  report.result.quantities[1].text = "P(x >= 3)";
  ASSERT_EQ(warnings(report).size(), 1U);
  EXPECT_NE(warnings(report)[0].find("P(x > 2.5)"), std::string::npos);
}

}  // namespace
}  // namespace sotto
