// How many steps a run takes where nobody says: what the budget has a use for, from public facts and releases alone.
#include "sotto/run/run_length.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/table.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/method_choice.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr double kNoLimit = 1e300;

FitConfig length_config(const std::string& method, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = {"data.file=x",
                                       "data.schema=x",
                                       "model.family=\"normal-mean\"",
                                       "model.columns=[\"x\", \"y\"]",
                                       "model.sd=[1, 1]",
                                       "privacy.epsilon=1",
                                       "privacy.delta=1e-6",
                                       "threads=1",
                                       "method.name=\"" + method + "\""};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_fit_config("", settings);
}

/// Two columns within 5 of zero.
Table length_table(std::size_t rows, double value = 0.5, Adjacency adjacency = Adjacency::substitute) {
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "x", .bounds = {-5, 5}}, {.name = "y", .bounds = {-5, 5}}};
  Table table(schema);
  const std::string cell = fmt::format("{}", value);
  const std::vector<std::optional<std::string_view>> cells = {cell, cell};
  for (std::size_t i = 0; i < rows; ++i) table.append(cells, std::nullopt);
  return table;
}

ChainSettings length_of(const FitConfig& config, const Table& table, double rho) {
  const Problem problem = make_problem(config, table);
  return run_length(resolve_method(config, problem), config, problem, nullptr, Rho(rho));
}

// Rows are standard normal and the posterior of n of them has a standard deviation of 1 / sqrt(n), but for the prior's part. A move d
// changes a row's log density by d' (x - mean), x within 5 of zero, so an exchanged row changes the ratio by 10 (|d_1| + |d_2|): of
// moves of unit length on average, 100 (1 + 2 / pi) / n.
TEST(RunLength, useful_steps_are_ten_over_the_noise_of_one) {
  constexpr double kPi = 3.14159265358979;
  const Table table = length_table(1000);
  const Problem problem = make_problem(length_config("penalty"), table);
  const double k = 100 * (1 + 2 / kPi) / 1000 / (2 * 0.5);
  // The mean of 64 moves has a standard error of 14 %: three of them.
  EXPECT_NEAR(useful_steps(problem.public_info, nullptr, Rho(0.5)) * k / 10, 1, 0.42);
  EXPECT_NEAR(useful_steps(problem.public_info, nullptr, Rho(5)) /
                  useful_steps(problem.public_info, nullptr, Rho(0.5)),
              10, 1e-6);
}

TEST(RunLength, draws_for_a_budget_are_those_of_the_formula) {
  const Table table = length_table(1000);
  Pilot pilot;
  pilot.at = Position::Zero(2);
  pilot.covariance = Matrix::Identity(2, 2) / 1000;
  const ChainSettings settings{.warmup = 500, .draws = 1000, .thin = 2};
  const Problem problem = make_problem(length_config("penalty"), table);
  const auto draws = [&](const std::string& method, double rho, const std::vector<std::string>& more = {}) {
    const FitConfig config = length_config(method, more);
    return draws_for(Rho(rho), resolve_method(config, problem), config, problem.public_info, pilot, settings);
  };
  const double k = 10 / useful_steps(problem.public_info, &pilot, Rho(0.5));
  const double most = 0.5 * 0.8 * 0.331 / (2 * k);
  const double noise = k * 4 * 2500;
  EXPECT_NEAR(draws("penalty", 0.5).of_budget / most, 1, 1e-9);
  EXPECT_NEAR(draws("penalty", 0.5).of_run / (most * noise / (1 + noise)), 1, 1e-9);
  EXPECT_NEAR(draws("guided-walk", 0.5).of_run / draws("penalty", 0.5).of_run, 1.4, 1e-9);
  EXPECT_NEAR(draws("barker", 0.5).of_run / draws("penalty", 0.5).of_run, 0.75, 1e-9);
  EXPECT_NEAR(draws("hmc", 0.5).of_run / (0.4 * most / std::pow(1 + std::sqrt(2), 2)), 1, 1e-9);
  // A budget is worth what it is worth, however few steps a run takes; a run no more than it keeps.
  EXPECT_NEAR(draws("penalty", 5e5).of_budget / draws("penalty", 0.5).of_budget, 1e6, 1);
  EXPECT_LT(draws("penalty", 5e5).of_run, 1000);
  EXPECT_EQ(draws("hmc", 5e5).of_run, 4000);
  EXPECT_GT(draws("penalty", 0.5, {"proposal.name=\"truncated\""}).of_budget, 1e300) << "not told";
  // Half of the rows: twice the sensitivity and, as a tenth of a standard deviation moves a row's log density by 0.05, a little more.
  const ForetoldDraws halves = draws("penalty-subsampled", 0.5, {"method.batch=500"});
  EXPECT_NEAR(draws("penalty", 0.5).of_budget / halves.of_budget, 4.2, 0.15);
  const double noise_of_halves = noise * draws("penalty", 0.5).of_budget / halves.of_budget;
  EXPECT_NEAR(halves.of_run / (halves.of_budget * noise_of_halves / (2 + noise_of_halves)), 1, 1e-9);
  EXPECT_NEAR(draws("penalty-subsampled", 0.5, {"method.batch=1000"}).of_run / draws("penalty", 0.5).of_run,
              1, 1e-9);
  EXPECT_EQ(draws("penalty-subsampled", 0.5).of_run,
            draws("penalty-subsampled", 0.5, {"method.batch=900"}).of_run);
  EXPECT_GT(draws("penalty-exponential-family", 0.5).of_budget, 1e300) << "not told";
}

TEST(RunLength, grows_with_the_budget_up_to_what_a_walk_needs) {
  const Table table = length_table(1000);
  const FitConfig config = length_config("penalty");
  EXPECT_EQ(length_of(config, table, 0.5).thin, 1u);
  const ChainSettings some = length_of(config, table, 106);
  EXPECT_GT(some.thin, 1u);
  EXPECT_LT(some.thin, 4u);
  const ChainSettings all = length_of(config, table, kNoLimit);
  EXPECT_EQ(all.thin, 4u) << "two steps a coordinate";
  EXPECT_EQ(all.draws, 1000u);
  EXPECT_EQ(all.warmup, 1000u) << "after a look: a quarter";
  EXPECT_EQ(steps_in_all(all, 4), 20000u);
  const ChainSettings from_afar =
      length_of(length_config("penalty", {"model.likelihood_power=0.5"}), table, kNoLimit);
  EXPECT_EQ(from_afar.warmup, 4000u) << "as many steps as are kept";
  EXPECT_EQ(steps_in_all(from_afar, 4), 32000u);
}

// Where their number is secret, nothing of it may show in how long a run is; where it is public, time counts.
TEST(RunLength, follows_from_no_secret) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const FitConfig config = length_config("penalty", {"method.chains=100"});
    const auto length = [&](std::size_t rows, double value) {
      const ChainSettings settings = length_of(config, length_table(rows, value, adjacency), kNoLimit);
      return std::vector<std::size_t>{settings.draws, settings.warmup, settings.thin};
    };
    EXPECT_EQ(length(1000, 0.5), length(1000, -4));
    if (adjacency == Adjacency::add_remove) {
      EXPECT_EQ(length(10, 0.5), length(30000, 0.5)) << "so much the more of one row more or less";
    }
  }
}

TEST(RunLength, many_rows_shorten_it) {
  FitConfig config = length_config("penalty", {"method.chains=100"});
  const std::size_t few = length_of(config, length_table(10), kNoLimit).thin;
  EXPECT_EQ(few, 4u);
  EXPECT_LT(length_of(config, length_table(30000), kNoLimit).thin, few);
  EXPECT_EQ(length_of(config, length_table(10, 0.5, Adjacency::add_remove), kNoLimit).thin, 1u)
      << "how many there are is not known";
}

// The steps of batches are paid for before the look, so none are spared that it would find of no use.
TEST(RunLength, of_batches_does_not_follow_from_the_budget) {
  const FitConfig config = length_config("penalty-subsampled");
  EXPECT_EQ(length_of(config, length_table(100), 0.5).thin, 4u);
  EXPECT_EQ(length_of(config, length_table(100), kNoLimit).thin, 4u);
  EXPECT_EQ(length_of(config, length_table(30000), kNoLimit).thin, 1u) << "they take long";
}

TEST(RunLength, is_what_the_configuration_says) {
  const Table table = length_table(1000);
  const ChainSettings named = length_of(
      length_config("penalty", {"method.thin=7", "method.warmup=11", "method.draws=13"}), table, kNoLimit);
  EXPECT_EQ(named.thin, 7u);
  EXPECT_EQ(named.warmup, 11u);
  EXPECT_EQ(named.draws, 13u);
  EXPECT_EQ(length_of(length_config("hmc"), table, kNoLimit).thin, 1u) << "its steps do not wander";
}

/// Some steps of the whole run stay in the manifest, and are what was paid for.
TEST(RunLength, is_told_and_paid_for) {
  const Table table = length_table(200);
  const FitConfig config = length_config("penalty", {"privacy.epsilon=1000", "method.draws=20"});
  TestEntropy entropy(4);
  const RunRecord record = fit(config, make_problem(config, table), entropy);
  const auto& told = record.manifest.configuration["method"];
  EXPECT_GT(told["thin"], 1);
  std::size_t releases = 0;
  for (const ReleaseLine& line : record.privacy.releases) {
    if (line.query == "log-likelihood ratio") releases += line.count;
  }
  EXPECT_EQ(releases, 4 * (told["warmup"].get<std::size_t>() + 20 * told["thin"].get<std::size_t>()));
  EXPECT_GT(record.privacy.spent_epsilon, 999);
  EXPECT_LE(record.privacy.spent_epsilon, 1000);
}

}  // namespace
}  // namespace sotto
