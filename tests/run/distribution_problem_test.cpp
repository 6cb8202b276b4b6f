// Distributions of one column, from the configuration to the draws: shares of a category, mean and shape of a gamma distribution,
// and regressions that are exponential families because nothing predicts.
#include "sotto/run/distribution_problem.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/random/gamma_distribution.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace one_column {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kRows = 2000;

const Table& table() {
  static const Table made = [] {
    Schema schema;
    schema.columns = {{.name = "region", .kind = ColumnKind::category, .levels = {"north", "east", "rare"}},
                      {.name = "cost", .kind = ColumnKind::real, .bounds = {0.01, 60}},
                      {.name = "visits", .kind = ColumnKind::count, .bounds = {0, 20}},
                      {.name = "ill", .kind = ColumnKind::binary}};
    Table rows(schema);
    ChainRng rng(8);
    for (std::size_t i = 0; i < kRows; ++i) {
      const double u = rng.uniform();
      const double cost = boost::random::gamma_distribution<double>(2.5, 2)(rng);
      const std::string cells[] = {u < 0.6      ? "north"
                                   : u < 0.9995 ? "east"
                                                : "rare",
                                   fmt::format("{:.9g}", cost), fmt::format("{}", rng.below(5)),
                                   u < 0.3 ? "1" : "0"};
      const std::vector<std::optional<std::string_view>> views(std::begin(cells), std::end(cells));
      rows.append(views, std::nullopt);
    }
    return rows;
  }();
  return made;
}

FitConfig config_of(const std::string& family, const std::string& formula, double epsilon,
                    const std::string& method, const std::string& more = "") {
  return parse_fit_config(
      fmt::format("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = \"{}\"\nformula = "
                  "\"{}\"\n[privacy]\nepsilon = {}\ndelta = 1e-6\n[method]\nname = \"{}\"\n{}",
                  family, formula, epsilon, method, more),
      {});
}

std::vector<ParameterSummary> fitted(const FitConfig& config, RunRecord* kept = nullptr) {
  TestEntropy entropy(3);
  RunRecord record = fit(config, make_problem(config, table()), entropy);
  if (kept != nullptr) *kept = record;
  return summarise(record.draws);
}

void expect_alike(const std::vector<ParameterSummary>& one, const std::vector<ParameterSummary>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t j = 0; j < one.size(); ++j) {
    const double error = std::hypot(one[j].mcse_mean, other[j].mcse_mean);
    EXPECT_NEAR(one[j].mean, other[j].mean, 5 * error + 0.02 * other[j].sd) << j;
    EXPECT_NEAR(one[j].sd / other[j].sd, 1, 0.15) << j;
  }
}

// Where noise does not count, every method says what the one without privacy says; five Monte Carlo errors.
// As of regressions: nobody asks how many cells took the value.
TEST(DistributionProblem, cells_that_take_a_value_are_told) {
  Schema schema = table().schema();
  schema.columns[0].missing = MissingPolicy::impute;
  schema.columns[0].imputed = 1;
  const FitConfig config = config_of("categorical", "region ~ 1", 1, "auto");
  EXPECT_THAT(make_problem_without_rows(config, schema, kRows).public_info.warnings,
              testing::ElementsAre(HasSubstr("Missing cells of region count as east")));
}

TEST(DistributionProblem, every_method_finds_the_same_shares) {
  FitConfig open = config_of("categorical", "region ~ 1", 1, "nonprivate-hmc");
  open.not_private = true;
  const auto oracle = fitted(open);
  for (const char* method : {"release-once", "penalty-exponential-family", "penalty", "hmc"})
    expect_alike(fitted(config_of("categorical", "region ~ 1", 1e5, method, "draws = 1000\n")), oracle);
}

TEST(DistributionProblem, every_method_finds_the_same_mean_and_shape) {
  FitConfig open = config_of("gamma", "cost ~ 1", 1, "nonprivate-hmc");
  open.not_private = true;
  const auto oracle = fitted(open);
  EXPECT_NEAR(oracle[0].mean, std::log(5.0), 0.07);
  EXPECT_NEAR(oracle[1].mean, 2.5, 0.4);
  for (const char* method : {"penalty-exponential-family", "guided-walk"})
    expect_alike(fitted(config_of("gamma", "cost ~ 1", 1e5, method, "draws = 1000\nthin = 2\n")), oracle);
}

TEST(DistributionProblem, regressions_on_nothing_have_a_statistic) {
  for (const auto& [family, formula] : std::vector<std::pair<std::string, std::string>>{
           {"bernoulli", "ill ~ 1"}, {"poisson", "visits ~ 1"}}) {
    FitConfig open = config_of(family, formula, 1, "nonprivate-hmc");
    open.not_private = true;
    expect_alike(
        fitted(config_of(family, formula, 1e5, "penalty-exponential-family", "draws = 2000\nthin = 4\n")),
        fitted(open));
  }
}

// At a budget that one would defend: within five posterior standard deviations of the shares that were drawn from, and a word about
// the level of two rows under noise of seven.
TEST(DistributionProblem, auto_releases_counts_once_and_tells_of_hidden_levels) {
  RunRecord record;
  const auto summary = fitted(config_of("categorical", "region ~ 1", 1, "auto"), &record);
  EXPECT_EQ(record.method, "release-once");
  const double truth[] = {0.6, 0.3995, 0.0005};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(std::abs(summary[k].mean - truth[k]), 5 * summary[k].sd) << k;
  EXPECT_LT(summary[0].sd, 1.3 * std::sqrt(0.24 / kRows));
  EXPECT_LE(record.privacy.epsilon, 1);
  ASSERT_EQ(record.privacy.releases.size(), 1U);
  ASSERT_FALSE(record.warnings.empty());
  EXPECT_THAT(record.warnings.front(), HasSubstr("share[rare]"));
}

std::string refusal(const FitConfig& config) {
  try {
    (void)fitted(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DistributionProblem, says_what_it_does_not_take) {
  EXPECT_THAT(refusal(config_of("categorical", "region ~ cost", 1, "auto")), HasSubstr("--family ordinal"));
  EXPECT_THAT(refusal(config_of("categorical", "visits ~ 1", 1, "auto")), HasSubstr("kind = \"category\""));
  EXPECT_THAT(refusal(config_of("categorical", "ill ~ 1", 1, "auto")), HasSubstr("family bernoulli"));
  EXPECT_THAT(refusal(config_of("categorical", "region ~ 1", 1, "sgld")), HasSubstr("choose penalty or hmc"));
  EXPECT_THAT(refusal(config_of("poisson", "visits ~ cost", 1, "penalty-exponential-family")),
              HasSubstr("without predictors"));
  EXPECT_THAT(refusal(config_of("gamma", "cost ~ visits", 1, "penalty")), HasSubstr("release-once"));
  EXPECT_THAT(refusal(config_of("gamma", "visits ~ 1", 1, "penalty")),
              HasSubstr("column visits is declared from 0 on"));
}

}  // namespace
}  // namespace one_column
}  // namespace sotto
