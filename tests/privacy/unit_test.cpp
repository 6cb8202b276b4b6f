// The unit and the adjacency that a schema declares are those that every release of a run is priced for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/method.hpp"
#include "sotto/run/problem.hpp"
#include "sotto/run/regression_problem.hpp"
#include "sotto/run/run_plan.hpp"
#include "support/recording_ledger.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Table table_of(Adjacency adjacency, std::size_t rows_per_person) {
  Schema schema;
  schema.columns = {{.name = "x", .kind = ColumnKind::real, .bounds = {-1, 1}},
                    {.name = "y", .kind = ColumnKind::real, .bounds = {-5, 5}}};
  schema.adjacency = adjacency;
  if (rows_per_person > 0) schema.unit = {"who", rows_per_person};
  Table table(schema);
  for (const char* who : {"a", "a", "b"}) {
    const std::vector<std::optional<std::string_view>> cells = {"0.5", "2"};
    table.append(cells, who);
  }
  return table;
}

std::vector<Query> questions(const Problem& problem, QueryRegime regime) {
  if (regime == QueryRegime::statistics) return {StatisticQuery{Rho(0.01)}};
  const Eigen::Index dim = problem.model.dim();
  const Position zero = Position::Zero(dim);
  const RatioQuery ratio{zero, Position::Constant(dim, 0.1), Rho(0.01)};
  std::vector<Query> asked = {ratio, GradientQuery{zero, Rho(0.01)}, JointQuery{{zero, Rho(0.01)}, ratio}};
  if (problem.model.as<Glm>() != nullptr) {
    const BoundedWeighting weighting{zero, Matrix::Identity(dim, dim), 1, 1, 1};
    asked.emplace_back(BoundedScoreQuery{weighting, Rho(0.01)});
    asked.emplace_back(BoundedInformationQuery{weighting, Rho(0.01)});
    asked.emplace_back(ScoreSquaresQuery{weighting, Rho(0.01)});
    asked.emplace_back(MomentsQuery{weighting.frame, 1, Rho(0.01)});
    asked.emplace_back(HistogramQuery{HistogramOf::residual, zero, Position{{-1, 0, 1}}, Rho(0.01), 0.0});
    asked.emplace_back(ColumnHistogramsQuery{{1}, {{-1, 1}}, 4, Rho(0.01)});
    asked.emplace_back(CurvesQuery{zero, 1, 0, {{.column = 1}}, 1, Rho(0.01)});
    asked.emplace_back(LightRowsQuery{weighting, Rho(0.01)});
  }
  return asked;
}

/// The declared sensitivities of all questions, in their own units.
std::vector<double> sensitivities(const std::string& model, QueryRegime regime, const Table& table) {
  const FitConfig config = parse_fit_config("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" +
                                                model + "[privacy]\nepsilon = 30\ndelta = 1e-6\n",
                                            {});
  const Problem problem = make_problem(config, table);
  RecordingLedger ledger{Epsilon(30)};
  TestEntropy entropy(4);
  const RunPlan plan = make_run_plan(regime, config, problem, 10, ledger, entropy);
  for (const Answer& answer : plan.interface->answer(questions(problem, regime)))
    EXPECT_FALSE(std::holds_alternative<QueryStatus>(answer));
  std::vector<double> all;
  for (const Charge& charge : ledger.charges) all.push_back(charge.sensitivity * charge.grid);
  return all;
}

const std::vector<std::pair<std::string, QueryRegime>> kRuns = {
    {"family = \"normal\"\nsigma = 2.0\nformula = \"y ~ x\"\n", QueryRegime::rows},
    {"family = \"normal-mean\"\ncolumns = [\"x\", \"y\"]\nsd = [1.0, 2.0]\n", QueryRegime::rows},
    {"family = \"normal\"\nsigma = 2.0\nformula = \"y ~ x\"\n", QueryRegime::statistics},
    {"family = \"normal-mean\"\ncolumns = [\"x\", \"y\"]\nsd = [1.0, 2.0]\n", QueryRegime::statistics}};

/// Sensitivities under one declaration over those under another, for all runs.
std::vector<double> ratios(Adjacency adjacency, std::size_t rows_per_person, Adjacency other) {
  std::vector<double> all;
  for (const auto& [model, regime] : kRuns) {
    const auto prices = sensitivities(model, regime, table_of(adjacency, rows_per_person));
    const auto others = sensitivities(model, regime, table_of(other, 0));
    EXPECT_FALSE(prices.empty());
    EXPECT_EQ(prices.size(), others.size());
    for (std::size_t i = 0; i < prices.size(); ++i) all.push_back(prices[i] / others[i]);
  }
  return all;
}

// But for what release-once asks of a regression: what all rows of a person add to that is bounded as a row's is
// (tests/measurement/unit_sums_test.cpp), up to so many rows as stand in one run.
TEST(Unit, every_price_counts_all_rows_of_a_person) {
  constexpr std::size_t kOneByOne = 4;  // ratio, gradient, and both together
  const auto found = ratios(Adjacency::substitute, 5, Adjacency::substitute);
  const std::size_t of_regression =
      sensitivities(kRuns[0].first, kRuns[0].second, table_of(Adjacency::substitute, 5)).size();
  ASSERT_GT(of_regression, kOneByOne);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], i >= kOneByOne && i < of_regression ? 1 : 5, 1e-9) << i;
}

TEST(Unit, more_rows_than_stand_side_by_side_are_counted_one_by_one) {
  const FitConfig config = parse_fit_config("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" +
                                                kRuns[0].first + "[privacy]\nepsilon = 30\ndelta = 1e-6\n",
                                            {});
  const auto bounded = [&config](std::size_t most) {
    const Problem problem = make_problem(config, table_of(Adjacency::substitute, most));
    const Eigen::Index dim = problem.model.dim();
    const BoundedWeighting weighting{Position::Zero(dim), Matrix::Identity(dim, dim), 1, 1, 1};
    const auto measured =
        measure_all_rows({problem.model, problem.unit, 1})(BoundedScoreQuery{weighting, Rho(0.01)});
    return measured->parts[0].charge.sensitivity;
  };
  const double of_one = bounded(0);
  EXPECT_NEAR(bounded(kMostSideBySide), of_one, 1e-9 * of_one);
  constexpr auto kMore = static_cast<double>(kMostSideBySide + 1);
  EXPECT_NEAR(bounded(kMostSideBySide + 1), kMore * of_one, 1e-9 * kMore * of_one);
}

TEST(Unit, every_price_is_that_of_the_declared_adjacency) {
  for (const double ratio : ratios(Adjacency::substitute, 0, Adjacency::add_remove)) EXPECT_GT(ratio, 1.05);
}

// Batches are priced for single rows: persons are refused before anything is spent.
/// What a plan of batches is refused with; nothing where it is not.
std::string refusal(QueryRegime regime, Adjacency adjacency, std::size_t rows_per_person) {
  try {
    (void)sensitivities(kRuns[1].first, regime, table_of(adjacency, rows_per_person));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Unit, batches_of_persons_are_refused) {
  EXPECT_THAT(refusal(QueryRegime::batches, Adjacency::substitute, 5), testing::HasSubstr("one row"));
  for (const QueryRegime regime : {QueryRegime::batch_ratios, QueryRegime::variance_completed_ratios}) {
    for (
        const auto& [adjacency, rows] :
        {std::pair{Adjacency::substitute, 5}, std::pair{Adjacency::add_remove, 0},
         // A person of one row may stand in the file with more, of which the others are dropped: how many rows there are is private.
         std::pair{Adjacency::substitute, 1}}) {
      EXPECT_THAT(refusal(regime, adjacency, static_cast<std::size_t>(rows)),
                  testing::HasSubstr("batches of fixed size"));
    }
  }
}

constexpr std::size_t kSteps = 40;

/// A run plan of a method for 60 rows, with epsilon 3.
RunPlan plan_of(QueryRegime regime, const char* method, Adjacency adjacency) {
  static std::vector<Problem> problems;  // outlive the plans
  static std::vector<std::unique_ptr<RecordingLedger>> ledgers;
  static TestEntropy entropy(4);
  Table table(table_of(adjacency, 0).schema());
  const std::vector<std::optional<std::string_view>> cells = {"0.5", "2"};
  for (int i = 0; i < 60; ++i) table.append(cells, std::nullopt);
  const FitConfig config = parse_fit_config(
      "[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" + kRuns[1].first +
          "[privacy]\nepsilon = 3\ndelta = 1e-6\n[method]\nname = \"" + method + "\"\nstep_size = 0.01\n",
      {});
  problems.push_back(make_problem(config, table));
  ledgers.push_back(std::make_unique<RecordingLedger>(Epsilon(3)));
  return make_run_plan(regime, config, problems.back(), kSteps, *ledgers.back(), entropy);
}

// Noise that was found for fewer batches, for another adjacency or another share of the rows would cost more than epsilon.
TEST(Unit, batches_are_calibrated_for_the_whole_run) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const StepBudget budget = plan_of(QueryRegime::batches, "sgld", adjacency).step_budget;
    const Event run = batch_event(budget.rate, budget.noise_multiplier, kSteps);
    EXPECT_LE(upper_epsilon(run, adjacency, Delta(1e-6), BoundKind::tight), 3);
    EXPECT_GT(upper_epsilon(run, adjacency, Delta(1e-6), BoundKind::tight), 2.9);
  }
  const Adjacency substitute = Adjacency::substitute;
  const StepBudget ratios = plan_of(QueryRegime::batch_ratios, "penalty-subsampled", substitute).step_budget;
  const Event run = batch_ratio_event(1 / (2 * ratios.step_cost.value()), 54, 60, kSteps);
  EXPECT_LE(upper_epsilon(run, substitute, Delta(1e-6), BoundKind::rdp), 3);
  const StepBudget completed =
      plan_of(QueryRegime::variance_completed_ratios, "barker-subsampled", substitute).step_budget;
  const Event completions{VarianceCompletedBarkerEvent{60, 54, completed.ratio_bound}, kSteps};
  EXPECT_LE(upper_epsilon(completions, substitute, Delta(1e-6), BoundKind::rdp), 3);
}

// The gradients of all trajectories, and the ratios that are paid for beside them one by one.
TEST(Unit, batches_of_trajectories_are_calibrated_with_the_ratios_beside_them) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    Table table(table_of(adjacency, 0).schema());
    const std::vector<std::optional<std::string_view>> cells = {"0.5", "2"};
    for (int i = 0; i < 60; ++i) table.append(cells, std::nullopt);
    const FitConfig config = parse_fit_config(
        "[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" + kRuns[1].first +
            "[privacy]\nepsilon = 3\ndelta = 1e-6\n[method]\nname = \"hmc\"\nstep_size = 0.01\n"
            "batch_rate = 0.3\nleapfrog_steps = 3\n",
        {});
    const Problem problem = make_problem(config, table);
    RecordingLedger ledger{Epsilon(3)};
    TestEntropy entropy(4);
    const StepBudget budget =
        make_run_plan(QueryRegime::trajectories, config, problem, kSteps, ledger, entropy).step_budget;
    constexpr std::size_t kGradients = kSteps * 4;
    ASSERT_EQ(ledger.spending().entries.size(), 1u);
    EXPECT_EQ(ledger.spending().entries[0].count, kGradients);
    EXPECT_GE(ledger.left().value(), kSteps * budget.step_cost.value());
    const Event all = beside(batch_event(budget.rate, budget.noise_multiplier, kGradients), ledger.left());
    EXPECT_LE(upper_epsilon(all, adjacency, Delta(1e-6), BoundKind::tight), 3);
    EXPECT_GT(upper_epsilon(all, adjacency, Delta(1e-6), BoundKind::tight), 2.9);
  }
}

// Where a row may be added or left out their number is a secret; and the number of persons is not that of rows.
TEST(Unit, the_number_of_rows_is_public_for_exchanged_rows_only) {
  for (const auto& [model, regime] : kRuns) {
    const FitConfig config = parse_fit_config("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" +
                                                  model + "[privacy]\nepsilon = 3\ndelta = 1e-6\n",
                                              {});
    const auto rows = [&config](Adjacency adjacency, std::size_t rows_per_person) {
      return make_problem(config, table_of(adjacency, rows_per_person)).public_info.rows;
    };
    EXPECT_EQ(rows(Adjacency::substitute, 0), 3.0) << model;
    EXPECT_FALSE(rows(Adjacency::add_remove, 0)) << model;
    EXPECT_FALSE(rows(Adjacency::substitute, 2)) << model;
    EXPECT_FALSE(rows(Adjacency::add_remove, 2)) << model;
  }
}

/// A run plan for a regression of 60 rows, with epsilon 3, that looks first.
struct LookingRun {
  LookingRun(Adjacency adjacency, QueryRegime regime)
      : config(parse_fit_config("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" + kRuns[0].first +
                                    "[privacy]\nepsilon = 3\ndelta = 1e-6\n",
                                {})),
        table(table_of(adjacency, 0).schema()) {
    const std::vector<std::optional<std::string_view>> cells = {"0.5", "2"};
    for (int i = 0; i < 60; ++i) table.append(cells, std::nullopt);
    problem = make_problem(config, table);
    plan = make_run_plan(regime, config, *problem, kSteps, ledger, entropy, true);
  }
  FitConfig config;
  Table table;
  std::optional<Problem> problem;
  RecordingLedger ledger{Epsilon(3)};
  TestEntropy entropy{4};
  std::optional<RunPlan> plan;
};

// What the look costs is granted beside the batches: noise that was found for the batches alone would cost more than epsilon.
TEST(Unit, a_look_is_composed_with_the_batches_beside_it) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const LookingRun run(adjacency, QueryRegime::batches);
    ASSERT_GT(run.plan->look_cost.value(), 0);
    const StepBudget& budget = run.plan->step_budget;
    const Rho granted = run.ledger.left();
    EXPECT_GE(granted, run.plan->look_cost);
    const Event all = beside(batch_event(budget.rate, budget.noise_multiplier, kSteps), granted);
    EXPECT_LE(upper_epsilon(all, adjacency, Delta(1e-6), BoundKind::tight), 3);
  }
}

TEST(Unit, a_look_is_composed_with_the_ratios_of_batches_beside_it) {
  const LookingRun run(Adjacency::substitute, QueryRegime::batch_ratios);
  ASSERT_GT(run.plan->look_cost.value(), 0);
  const Rho granted = run.ledger.left();
  EXPECT_GE(granted, run.plan->look_cost);
  const double tau = 1 / (2 * run.plan->step_budget.step_cost.value());
  const Event all = beside(batch_ratio_event(tau, 30, 60, kSteps), granted);
  EXPECT_LE(upper_epsilon(all, Adjacency::substitute, Delta(1e-6), BoundKind::rdp), 3);
  EXPECT_LE(run.ledger.spending().spent_epsilon(Delta(1e-6)).value(), 3);
  EXPECT_GE(run.ledger.spending().spent_epsilon(Delta(1e-6)).value(),
            upper_epsilon(all, Adjacency::substitute, Delta(1e-6), BoundKind::rdp));
}

// However the steps are paid for, at once or one by one.
TEST(Unit, a_look_has_its_share_of_the_whole_budget) {
  for (const QueryRegime regime :
       {QueryRegime::rows, QueryRegime::batches, QueryRegime::batch_ratios, QueryRegime::statistics}) {
    const double whole = RecordingLedger{Epsilon(3)}.left().value();
    const LookingRun run(Adjacency::substitute, regime);
    EXPECT_NEAR(run.plan->look_cost.value() / whole, kPilotShare, 1e-9) << static_cast<int>(regime);
    EXPECT_GE(run.ledger.left(), run.plan->look_cost);
  }
}

// Of what a run on statistics costs, the look has its share and the steps the rest.
TEST(Unit, a_look_is_paid_from_the_budget_of_statistics) {
  const LookingRun run(Adjacency::substitute, QueryRegime::statistics);
  EXPECT_GT(run.plan->look_cost.value(), 0);
  EXPECT_LE(run.plan->look_cost.value() + kSteps * run.plan->step_budget.step_cost.value(),
            run.ledger.left().value());
}

TEST(Unit, no_more_batches_are_granted_than_were_composed) {
  const LookingRun run(Adjacency::substitute, QueryRegime::batches);
  const Spending spending = run.ledger.spending();
  ASSERT_EQ(spending.entries.size(), 1u);
  EXPECT_EQ(spending.entries[0].count, kSteps);
}

// Everything that a chain goes by is the same for any number of rows, where that is private.
TEST(Unit, nothing_that_a_chain_goes_by_follows_a_private_number_of_rows) {
  for (const auto& [model, regime] : kRuns) {
    const FitConfig config = parse_fit_config("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" +
                                                  model + "[privacy]\nepsilon = 3\ndelta = 1e-6\n",
                                              {});
    for (const auto& [adjacency, rows] :
         {std::pair{Adjacency::add_remove, 0}, std::pair{Adjacency::substitute, 2}}) {
      const Table few = table_of(adjacency, static_cast<std::size_t>(rows));
      Table many = few;
      const std::vector<std::optional<std::string_view>> cells = {"0.5", "2"};
      for (int i = 0; i < 40; ++i) many.append(cells, std::to_string(i));
      const PublicProblem a = make_problem(config, few).public_info;
      const PublicProblem b = make_problem(config, many).public_info;
      EXPECT_EQ(a.prior_scale, b.prior_scale) << model;
      EXPECT_EQ(a.start, b.start) << model;
      EXPECT_EQ(a.reach, b.reach) << model;
    }
  }
}

}  // namespace
}  // namespace sotto
