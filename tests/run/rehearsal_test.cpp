// What a plan foresees against what fits of other rows find, and rows as they were asked for.
#include "sotto/run/rehearsal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Schema clinic_schema() {
  Schema schema;
  schema.columns = {{.name = "ill", .kind = ColumnKind::binary},
                    {.name = "visits", .kind = ColumnKind::count, .bounds = {0, 50}},
                    {.name = "cost", .bounds = {0, 120}},
                    {.name = "age", .bounds = {20, 80}},
                    {.name = "region", .kind = ColumnKind::category, .levels = {"n", "s", "w"}}};
  return schema;
}

FitConfig clinic_config(const std::string& family, const std::string& formula) {
  return parse_fit_config(
      "", {"data.file=nowhere.csv", "data.schema=x", "privacy.epsilon=1", "privacy.delta=1e-6",
           "method.draws=500", "threads=1", fmt::format("model.family=\"{}\"", family),
           fmt::format("model.formula=\"{}\"", formula)});
}

TEST(MadeUpRows, have_the_mean_that_was_asked_for) {
  struct Asked {
    const char* family;
    const char* formula;
    double mean;
  };
  for (const Asked& asked :
       {Asked{"bernoulli", "ill ~ age + region", 0.1}, Asked{"poisson", "visits ~ age + region", 3},
        Asked{"normal", "cost ~ age + region", 40}}) {
    const FitConfig config = clinic_config(asked.family, asked.formula);
    const MadeUpProblem made = make_up(config, clinic_schema(), {.rows = 20000, .response_mean = asked.mean});
    const Rows rows = made.problem.rows();
    double sum = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) sum += rows.at(i, rows.columns() - 1) * rows.weight(i);
    EXPECT_NEAR(sum / 20000, asked.mean, 0.02 * asked.mean + 0.01) << asked.family;
  }
}

/// Mean and standard deviation of the responses of 40,000 rows.
std::pair<double, double> responses_of(const FitConfig& config, const Schema& schema) {
  const Rows rows = make_up(config, schema, {.rows = 40'000}).problem.rows();
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double y = rows.at(i, rows.columns() - 1);
    sum += y / 40'000;
    squares += y * y / 40'000;
  }
  return {sum, std::sqrt(squares - sum * sum)};
}

// Five standard errors of a mean are .03 to .15 here; a standard deviation varies by some .01 of itself.
TEST(MadeUpRows, have_the_mean_and_spread_that_the_schema_expects) {
  Schema schema = clinic_schema();
  schema.columns[0].expected.mean = 0.05;
  schema.columns[1].expected = {3, 4};
  schema.columns[2].expected = {40, 5};
  EXPECT_NEAR(responses_of(clinic_config("bernoulli", "ill ~ age"), schema).first, 0.05, 0.006);
  const auto [visits, of_visits] = responses_of(clinic_config("poisson", "visits ~ age"), schema);
  EXPECT_NEAR(visits, 3, 0.15);
  EXPECT_NEAR(of_visits, 4, 0.4);
  const auto [cost, of_cost] = responses_of(clinic_config("normal", "cost ~ age"), schema);
  EXPECT_NEAR(cost, 40, 0.15);
  EXPECT_NEAR(of_cost, 5, 0.2);
  schema.columns[2].expected = {10, 6};
  const auto [steps, of_steps] = responses_of(clinic_config("gamma", "cost ~ age"), schema);
  const double unit = 1e5 / 120;  // gamma responses are counted in steps
  EXPECT_NEAR(steps / unit, 10, 0.3);
  EXPECT_NEAR(of_steps / unit, 6, 0.6);
  // What is asked for on the command line goes before.
  const MadeUpProblem made =
      make_up(clinic_config("bernoulli", "ill ~ age"), schema, {.rows = 20'000, .response_mean = 0.5});
  const Rows rows = made.problem.rows();
  double ones = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) ones += rows.at(i, rows.columns() - 1);
  EXPECT_NEAR(ones / 20'000, 0.5, 0.02);
}

TEST(MadeUpRows, agree_with_themselves_where_a_column_stands_twice) {
  const FitConfig config = clinic_config("normal", "cost ~ age + I(age^2)");
  const Rows rows = make_up(config, clinic_schema(), {.rows = 100}).problem.rows();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double age = 50 + 30 * rows.at(i, 1);
    const double square = (6400 + 400) / 2.0 + (6400 - 400) / 2.0 * rows.at(i, 2);
    EXPECT_NEAR(square, age * age, 1e-9);
  }
}

TEST(MadeUpRows, are_like_a_public_table) {
  Table like(clinic_schema().select({"age", "region"}));
  for (int i = 0; i < 50; ++i) {
    const std::string age = std::to_string(30 + i % 2);
    const std::optional<std::string_view> cells[] = {age, i % 2 == 0 ? "n" : "w"};
    like.append(cells, std::nullopt);
  }
  const FitConfig config = clinic_config("bernoulli", "ill ~ age + region");
  const Rows rows = make_up(config, clinic_schema(), {.rows = 200, .like = &like}).problem.rows();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double age = 50 + 30 * rows.at(i, 1);
    EXPECT_TRUE(std::abs(age - 30) < 1e-9 || std::abs(age - 31) < 1e-9);
    EXPECT_EQ(rows.at(i, 2), 0);                                  // nobody lives in the south
    EXPECT_EQ(rows.at(i, 3), std::abs(age - 31) < 1e-9 ? 1 : 0);  // both cells are of one row
  }
}

TEST(MadeUpRows, are_refused_where_they_cannot_be) {
  const auto refused = [](const FitConfig& config, const MadeUpRows& made) {
    EXPECT_THROW((void)make_up(config, clinic_schema(), made), Error);
  };
  const FitConfig config = clinic_config("bernoulli", "ill ~ age");
  refused(config, {.rows = 0});
  refused(config, {.rows = 10, .response_mean = 1});
  refused(clinic_config("normal", "cost ~ age"), {.rows = 10, .response_mean = 121});
  refused(clinic_config("bernoulli", "ill ~ weight"), {.rows = 10});
}

// What is foreseen is the median of seven tables, and what is found that of seven others, on the average over the columns. Over 48
// seeds its logarithm had a standard deviation of 0.036 for normal responses, so the difference of two has 0.05: four of these.
TEST(Rehearsal, foresees_what_fits_of_other_rows_find) {
  struct Setting {
    const char* family;
    const char* formula;
    std::size_t rows;
  };
  for (const Setting& setting :
       {Setting{"bernoulli", "ill ~ age + region", 10000}, Setting{"poisson", "visits ~ age + region", 10000},
        Setting{"normal", "cost ~ age + region", 20000}}) {
    const FitConfig config = clinic_config(setting.family, setting.formula);
    TestEntropy entropy(3);
    const auto rehearsed = [&](std::uint64_t seed) {
      return rehearse(config, clinic_schema(), {.rows = setting.rows, .seed = seed}, {0.5}, 7, entropy);
    };
    const Rehearsal foreseen = rehearsed(1);
    const Rehearsal found = rehearsed(100);
    double log_ratio = 0;
    for (std::size_t j = 1; j < 4; ++j) {
      log_ratio += std::log(foreseen.budgets[0].parameters[j].sd_inflation /
                            found.budgets[0].parameters[j].sd_inflation) /
                   3;
    }
    EXPECT_NEAR(log_ratio, 0, 0.2) << setting.family;
  }
}

TEST(Rehearsal, tells_good_budgets_from_hopeless_ones) {
  const FitConfig config = clinic_config("bernoulli", "ill ~ age + region");
  TestEntropy entropy(4);
  const Rehearsal rehearsal = rehearse(config, clinic_schema(), {.rows = 5000}, {0.01, 0.25, 20}, 3, entropy);
  EXPECT_EQ(rehearsal.budgets[0].prospect, Prospect::hopeless) << rehearsal.budgets[0].why;
  EXPECT_EQ(rehearsal.budgets[1].prospect, Prospect::poor) << rehearsal.budgets[1].why;
  EXPECT_EQ(rehearsal.budgets[2].prospect, Prospect::good) << rehearsal.budgets[2].why;
  EXPECT_EQ(rehearsal.method, "release-once");
  EXPECT_EQ(rehearsal.without_noise.size(), 4);
}

// What without noise is compared with runs no chain.
TEST(Rehearsal, is_of_chains_that_start_somewhere_as_well) {
  FitConfig config = clinic_config("bernoulli", "ill ~ age");
  config.method.name = "penalty";
  config.start["age"] = 0.5;
  TestEntropy entropy(4);
  const Rehearsal rehearsal = rehearse(config, clinic_schema(), {.rows = 2000}, {20}, 1, entropy);
  EXPECT_EQ(rehearsal.method, "penalty");
  EXPECT_EQ(rehearsal.without_noise.size(), 2);
}

TEST(Rehearsal, of_a_chain_ends_where_its_budget_buys_few_draws) {
  FitConfig config = clinic_config("bernoulli", "ill ~ age + region");
  config.method.name = "penalty";
  TestEntropy entropy(4);
  const auto budget = [&] {
    return rehearse(config, clinic_schema(), {.rows = 2000}, {3}, 1, entropy).budgets[0];
  };
  EXPECT_EQ(budget().prospect, Prospect::hopeless);
  EXPECT_NE(budget().why.find("effective draw"), std::string::npos) << budget().why;
  EXPECT_TRUE(budget().parameters.empty());
  config.force = true;
  EXPECT_FALSE(budget().parameters.empty());
}

// Thirty rows say so little that noise makes intervals not twice as wide, and yet it hides all that they say.
TEST(Rehearsal, calls_a_budget_hopeless_under_which_noise_dominates) {
  const FitConfig config = clinic_config("bernoulli", "ill ~ age + region");
  TestEntropy entropy(4);
  const RehearsedBudget budget =
      rehearse(config, clinic_schema(), {.rows = 30}, {1}, 1, entropy).budgets.at(0);
  for (const RehearsedParameter& one : budget.parameters) EXPECT_LT(one.sd_inflation, kVeryPoor);
  EXPECT_EQ(budget.prospect, Prospect::hopeless) << budget.why;
}

// Foreseen: sqrt(1 / n + noise / n^2) over sqrt(1 / n), the noise that of a sum of rows shortened to 2.6 standard deviations or so.
TEST(Rehearsal, is_of_normal_means_as_well) {
  const FitConfig config =
      parse_fit_config("", {"data.file=nowhere.csv", "data.schema=x", "privacy.epsilon=1",
                            "privacy.delta=1e-6", "method.draws=500", "threads=1", "model.family=normal-mean",
                            "model.columns=[\"cost\", \"age\"]", "model.covariance=[[25, 5], [5, 4]]"});
  const MadeUpProblem made = make_up(config, clinic_schema(), {.rows = 20'000});
  const Rows rows = made.problem.rows();
  for (std::size_t j = 0; j < 2; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) sum += rows.at(i, j);
    EXPECT_NEAR(sum / 20'000, made.truth[static_cast<Eigen::Index>(j)], 0.2);
  }
  TestEntropy entropy(8);
  const Rehearsal rehearsal = rehearse(config, clinic_schema(), {.rows = 1000}, {0.02, 10}, 3, entropy);
  EXPECT_EQ(rehearsal.method, "release-once");
  EXPECT_EQ(rehearsal.budgets[0].prospect, Prospect::hopeless) << rehearsal.budgets[0].why;
  EXPECT_EQ(rehearsal.budgets[1].prospect, Prospect::good) << rehearsal.budgets[1].why;
  EXPECT_NEAR(rehearsal.without_noise[0].sd, 5 / std::sqrt(1000.0), 0.02);
  EXPECT_THROW((void)make_up(config, clinic_schema(), {.rows = 10, .response_mean = 1}), Error);
}

TEST(Rehearsal, ends_when_asked_to) {
  const FitConfig config = clinic_config("bernoulli", "ill ~ age");
  TestEntropy entropy(5);
  try {
    (void)rehearse(config, clinic_schema(), {.rows = 100}, {1}, 3, entropy, [](double) { return false; });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

}  // namespace
}  // namespace sotto
