#include "sotto_io/density_report.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// A run of which only what the verdict looks at is filled in.
std::string verdict_of(double width, double prior_width, double rhat, double hellinger, bool discrete,
                       bool is_private) {
  DensityReport report;
  report.result.columns.resize(1);
  report.result.columns[0].width = width;
  report.result.columns[0].prior_width = prior_width;
  report.result.columns[0].hellinger = hellinger;
  report.result.columns[0].discrete = discrete;
  if (is_private) report.channel.emplace();
  ParameterSummary line;
  line.rhat = rhat;
  report.diagnostics = {line};
  return verdict(report, 0);
}

TEST(DensityVerdict, comes_from_the_bands_and_not_from_the_distance_to_the_prior) {
  for (const bool discrete : {false, true}) {
    // Narrow bands about an estimate that happens to be the prior's: much was said.
    const std::string much = verdict_of(0.09, 3, 1.001, 0.01, discrete, true);
    EXPECT_NE(much.find("release says much"), std::string::npos) << much;
    EXPECT_NE(much.find("9 %"), std::string::npos) << much;
    EXPECT_NE(much.find("close to what the prior expected"), std::string::npos) << much;
    EXPECT_NE(verdict_of(1.5, 3, 1.001, 0.5, discrete, true).find("says little"), std::string::npos);
    // Bands wider than the density itself show no details, however little the prior knew.
    EXPECT_NE(verdict_of(1.73, 6, 1.001, 0.5, discrete, true).find("says little"), std::string::npos);
    // Wide bands about an estimate far from the prior's: next to nothing.
    EXPECT_NE(verdict_of(2.9, 3, 1.001, 0.5, discrete, true).find("next to nothing"), std::string::npos);
  }
}

TEST(DensityVerdict, none_while_the_chains_have_not_mixed) {
  for (const double rhat : {1.6, 1.0501, std::nan("")}) {
    const std::string none = verdict_of(0.09, 3, rhat, 0.5, false, true);
    EXPECT_EQ(none.find("No verdict"), 0u) << none;
    EXPECT_NE(none.find("costs no privacy"), std::string::npos) << none;
  }
}

// A density is the same for many numbers of clusters.
TEST(DensityVerdict, is_of_the_density_and_not_of_its_clusters) {
  DensityReport report;
  report.channel.emplace();
  report.result.draws.chains.resize(4);
  report.result.columns.resize(1);
  report.result.columns[0].width = 0.1;
  report.result.columns[0].prior_width = 3;
  report.diagnostics.resize(2);
  report.diagnostics[0].parameter = "clusters";
  report.diagnostics[0].rhat = 1.3;
  report.diagnostics[1].parameter = "log_density.1";
  report.diagnostics[1].rhat = 1.002;
  EXPECT_NE(verdict(report, 0).find("release says much"), std::string::npos) << verdict(report, 0);
  report.diagnostics[1].rhat = 1.06;
  EXPECT_EQ(verdict(report, 0).find("No verdict"), 0u) << verdict(report, 0);
}

TEST(DensityVerdict, confidential_data_have_words_of_their_own) {
  const std::string words = verdict_of(0.09, 3, 1.001, 0.5, false, false);
  EXPECT_NE(words.find("confidential data say much"), std::string::npos) << words;
  EXPECT_EQ(words.find("release"), std::string::npos) << words;
  const std::string none = verdict_of(0.09, 3, 1.6, 0.5, false, false);
  EXPECT_NE(none.find("Draw longer"), std::string::npos) << none;
  EXPECT_EQ(none.find("privacy"), std::string::npos) << none;
}

TEST(DensityReport, log_densities_are_named_by_their_points) {
  DensityReport report;
  report.levels = {{}};
  report.result.columns.resize(1);
  report.result.columns[0].name = "wait";
  report.result.columns[0].grid = Position::LinSpaced(61, 0, 60);
  report.result.log_densities = {{"log_density.1", 0, 30}};
  EXPECT_EQ(quantity_name(report, "log_density.1"), "log density at 30");
  EXPECT_EQ(quantity_name(report, "clusters"), "clusters");
  report.levels.emplace_back();
  report.result.columns.push_back(report.result.columns[0]);
  EXPECT_EQ(quantity_name(report, "log_density.1"), "log density of wait at 30");
}

}  // namespace
}  // namespace sotto
