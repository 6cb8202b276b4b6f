// Responses in ordered categories from a table to the posterior.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/made_up_rows.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

const std::vector<std::string> kAnswers{"low", "mid", "high", "top"};
constexpr double kTrueThresholds[] = {-1, 0.5, 2};
constexpr double kTrueEffects[] = {0.8, -0.6};

Schema ordinal_schema(const std::vector<std::string>& levels = kAnswers) {
  return {{{"y", ColumnKind::category, {}, levels},
           {"x", ColumnKind::real, {-1, 1}, {}},
           {"g", ColumnKind::category, {}, {"a", "b"}}},
          {}};
}

/// Of latent errors whose distribution has this inverse.
double logistic(double u) { return std::log(u / (1 - u)); }
double extreme_value(double u) { return -std::log(-std::log(u)); }

Table some_answers(std::size_t count, std::uint64_t seed, std::vector<double>* counts = nullptr,
                   const double* effects = kTrueEffects, double top = kTrueThresholds[2],
                   double (*error)(double) = logistic, double apart = 0) {
  Table table(ordinal_schema());
  ChainRng rng(seed);
  const double thresholds[] = {kTrueThresholds[0], kTrueThresholds[1], top};
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 2 * rng.uniform() - 1;
    const bool b = rng.below(3) == 0;
    const double u = rng.uniform();
    const double latent = effects[0] * x + (b ? effects[1] : 0) + error(u);
    std::size_t y = 0;
    while (y < 3 && latent > thresholds[y] - apart * (static_cast<double>(y) - 1) * x) ++y;
    if (counts != nullptr) (*counts)[y] += 1;
    const std::string cell = fmt::format("{:.17g}", x);
    table.append(std::vector<std::optional<std::string_view>>{kAnswers[y], cell, b ? "b" : "a"},
                 std::nullopt);
  }
  return table;
}

FitConfig ordinal_config(const std::string& formula, double epsilon, const std::string& more = "") {
  return parse_fit_config(
      fmt::format(
          "[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = \"ordinal\"\nformula = \"{}\"\n"
          "[privacy]\nepsilon = {}\ndelta = 1e-6\n{}",
          formula, epsilon, more),
      {});
}

// Without covariates thresholds are the log odds of cumulated shares F, of variance 1 / (n F (1 - F)), up to the prior, which weighs a
// hundredth of a response, and the logarithm's skewness.
TEST(Ordinal, thresholds_are_log_odds_of_cumulated_shares) {
  std::vector<double> counts(4, 0);
  const double none[] = {0, 0};
  const Table table = some_answers(1500, 1, &counts, none);
  FitConfig config = ordinal_config("y ~ 1", 1e5);
  TestEntropy entropy(3);
  const Problem problem = make_problem(config, table);
  const RunRecord record = fit(config, problem, entropy);
  EXPECT_EQ(record.draws.parameters, (std::vector<std::string>{"low|mid", "mid|high", "high|top"}));
  config.not_private = true;
  config.method.draws = 500;
  const RunRecord open = fit(config, problem, entropy);
  for (const RunRecord* one : {&record, &open}) {
    const auto summary = summarise(one->draws);
    double below = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      below += counts[k] / 1500;
      const double sd = std::sqrt(1 / (1500 * below * (1 - below)));
      // Four Monte Carlo errors: 6e-5 a number.
      EXPECT_NEAR(summary[k].mean, std::log(below / (1 - below)), 4 * summary[k].mcse_mean + sd * sd)
          << one->method << k;
      EXPECT_NEAR(summary[k].sd, sd, 4 * summary[k].mcse_sd + 0.03 * sd) << one->method << k;
    }
  }
}

// The weighted score is nearly as good as the likelihood's; both see the same rows.
TEST(Ordinal, at_a_large_epsilon_the_answer_is_that_without_privacy) {
  const Table table = some_answers(2000, 2);
  FitConfig config = ordinal_config("y ~ x + g", 1e4);
  TestEntropy entropy(4);
  const Problem problem = make_problem(config, table);
  const auto once = summarise(fit(config, problem, entropy).draws);
  config.not_private = true;
  config.method.draws = 500;
  const auto open = summarise(fit(config, problem, entropy).draws);
  ASSERT_EQ(once.size(), 5U);
  for (std::size_t j = 0; j < once.size(); ++j) {
    EXPECT_EQ(once[j].parameter, open[j].parameter);
    EXPECT_NEAR(once[j].mean, open[j].mean, 0.3 * open[j].sd) << once[j].parameter;
    EXPECT_NEAR(once[j].sd, open[j].sd, 0.1 * open[j].sd) << once[j].parameter;
  }
}

// At epsilon 1, in ten tables of 20,000 rows each: four standard deviations are passed with probability 6e-5 a number, 3e-3 in all.
TEST(Ordinal, effects_are_found_at_epsilon_one) {
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Table table = some_answers(20000, seed);
    const FitConfig config = ordinal_config("y ~ x + g", 1);
    TestEntropy entropy(seed);
    const RunRecord record = fit(config, make_problem(config, table), entropy);
    EXPECT_TRUE(record.warnings.empty()) << seed << record.warnings[0];
    const double truths[] = {kTrueThresholds[0], kTrueThresholds[1], kTrueThresholds[2], kTrueEffects[0],
                             kTrueEffects[1]};
    const auto summary = summarise(record.draws);
    ASSERT_EQ(summary.size(), 5U);
    for (std::size_t j = 0; j < 5; ++j) {
      const double off = (summary[j].mean - truths[j]) / summary[j].sd;
      EXPECT_LT(std::abs(off), 4) << seed << ' ' << summary[j].parameter;
      EXPECT_LT(summary[j].sd, 0.08) << summary[j].parameter;
      squares += off * off;
    }
  }
  // Chi-squared with 50 degrees of freedom, whatever correlations there are within a table: mean 50, beyond 110 1e-4 at the most.
  EXPECT_LT(squares, 110);
}

// Whatever the noise: what the model says of thresholds holds in every draw.
TEST(Ordinal, thresholds_never_cross) {
  const Table table = some_answers(300, 1);
  const FitConfig config = ordinal_config("y ~ x", 0.3);
  TestEntropy entropy(1);
  const RunRecord record = fit(config, make_problem(config, table), entropy);
  for (const Chain& chain : record.draws.chains) {
    EXPECT_LT((chain.draws.col(0) - chain.draws.col(1)).maxCoeff(), 0);
    EXPECT_LT((chain.draws.col(1) - chain.draws.col(2)).maxCoeff(), 0);
  }
}

TEST(Ordinal, categories_of_hardly_any_responses_are_told) {
  const Table table = some_answers(20000, 1, nullptr, kTrueEffects, 12);
  const FitConfig config = ordinal_config("y ~ x", 1);
  TestEntropy entropy(1);
  const RunRecord record = fit(config, make_problem(config, table), entropy);
  EXPECT_THAT(fmt::format("{}", fmt::join(record.warnings, "; ")),
              testing::HasSubstr("Hardly any response is top"));
}

// That the model is not told where it holds: effects_are_found_at_epsilon_one. Here what is off is seven standard deviations or more.
TEST(Ordinal, effects_that_differ_between_thresholds_are_told) {
  const FitConfig config = ordinal_config("y ~ x + g", 1);
  const auto said = [&](const Table& table) {
    TestEntropy entropy(1);
    return fmt::format("{}", fmt::join(fit(config, make_problem(config, table), entropy).warnings, "; "));
  };
  EXPECT_THAT(said(some_answers(20000, 1, nullptr, kTrueEffects, kTrueThresholds[2], logistic, 0.6)),
              testing::HasSubstr("The effect of x differs between thresholds"));
  const double strong[] = {4, -2};
  EXPECT_THAT(said(some_answers(20000, 1, nullptr, strong, kTrueThresholds[2], extreme_value)),
              testing::HasSubstr("The logistic curve does not fit"));
}

TEST(Ordinal, a_response_is_one_row_of_its_unit) {
  const FitConfig config = ordinal_config("y ~ x", 1);
  Table table(ordinal_schema());
  table.append_nothing();
  const Problem problem = make_problem(config, table);
  EXPECT_EQ(problem.unit.rows_per_unit, 3U);
  EXPECT_EQ(problem.unit.table_rows(), 1U);
  EXPECT_EQ(problem.public_info.privacy_unit, "one row");
  EXPECT_EQ(problem.public_info.rows, 1);
}

std::string ordinal_refusal(const FitConfig& config, const Schema& schema = ordinal_schema()) {
  Table table(schema);
  table.append_nothing();
  TestEntropy entropy(1);
  try {
    static_cast<void>(fit(config, make_problem(config, table), entropy));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Ordinal, what_does_not_fit_is_refused_in_plain_words) {
  using testing::AllOf, testing::HasSubstr;
  FitConfig other = ordinal_config("y ~ x", 1);
  other.model.family = "bernoulli";
  EXPECT_THAT(ordinal_refusal(other),
              AllOf(HasSubstr("y is a category: for levels in order choose --family ordinal"),
                    HasSubstr("for shares of its levels y ~ 1 with --family categorical")));
  EXPECT_THAT(ordinal_refusal(ordinal_config("x ~ g", 1)), HasSubstr("three or more ordered categories"));
  EXPECT_THAT(ordinal_refusal(ordinal_config("g ~ x", 1)), HasSubstr("g is a category of 2 levels"));
  EXPECT_THAT(ordinal_refusal(ordinal_config("C(x) ~ g", 1)), HasSubstr("declare it as a category"));
  EXPECT_THAT(ordinal_refusal(ordinal_config("y ~ x + 0", 1)), HasSubstr("need the intercept"));
  EXPECT_THAT(ordinal_refusal(ordinal_config("y ~ x", 1, "[method]\nname = \"penalty\"\n")),
              HasSubstr("penalty does not know ordered categories: choose method.name release-once"));
  EXPECT_THAT(ordinal_refusal(ordinal_config("y ~ x", 1, "[prior.parameter.\"low|mid\"]\nscale = 1\n")),
              HasSubstr("names no parameter of this model: they are x"));
}

TEST(Ordinal, made_up_rows_have_all_categories_alike) {
  FitConfig config = ordinal_config("y ~ x + g", 1);
  MadeUpRows made;
  made.rows = 30000;
  made.seed = 1;
  const MadeUpProblem problem = make_up(config, ordinal_schema(), made);
  const Rows rows = problem.problem.rows();
  ASSERT_EQ(rows.rows(), 90000U);
  double counts[4] = {};
  for (std::size_t i = 0; i < rows.rows(); i += 3) counts[static_cast<std::size_t>(rows.at(i, 5))] += 1;
  // Five standard deviations of a count.
  for (const double count : counts) EXPECT_NEAR(count, 7500, 5 * 75);
  EXPECT_LT(problem.truth[0], problem.truth[1]);
  EXPECT_LT(problem.truth[1], problem.truth[2]);
  made.response_mean = 1;
  EXPECT_THROW(make_up(config, ordinal_schema(), made), Error);
}

TEST(Ordinal, made_up_rows_have_the_expected_shares) {
  Schema schema = ordinal_schema();
  const std::vector<double> shares = {0.7, 0.2, 0.06, 0.04};
  schema.columns[schema.index("y")].expected.shares = shares;
  const MadeUpProblem problem = make_up(ordinal_config("y ~ x + g", 1), schema, {.rows = 30000});
  const Rows rows = problem.problem.rows();
  double counts[4] = {};
  for (std::size_t i = 0; i < rows.rows(); i += 3) counts[static_cast<std::size_t>(rows.at(i, 5))] += 1;
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(counts[k], 30000 * shares[k], 5 * std::sqrt(30000 * shares[k] * (1 - shares[k]))) << k;
}

}  // namespace
}  // namespace sotto
