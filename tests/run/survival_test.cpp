// Times to an event from a table to the posterior, against closed forms.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/made_up_rows.hpp"
#include "sotto/run/rehearsal.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr double kHazards[] = {0.3, 0.1, 0.2};  // up to 1, 3 and 6
constexpr double kEnds[] = {1, 3, 6};
constexpr double kEffect = 0.8;

struct Lives {
  Table table;
  double events[3] = {};
  double time[3] = {};
};

/// `effect`: of x, -1 or 1, on the log hazard. Censored at a uniform time.
/// `codes`: of who lives and who dies; `longest`: the declared follow-up, which ends at 6.
Lives some_lives(std::size_t count, double effect, std::uint64_t seed,
                 const SchemaColumn& died_column = {"died", ColumnKind::binary},
                 const std::array<const char*, 2>& codes = {"0", "1"}, double longest = 6) {
  Lives lives{Table(Schema{
      {{"t", ColumnKind::real, {0, longest}, {}}, died_column, {"x", ColumnKind::real, {-1, 1}, {}}}, {}})};
  ChainRng rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = rng.below(2) == 0 ? -1 : 1;
    double left = -std::log(rng.uniform()) / std::exp(effect * x);
    double event = HUGE_VAL;
    double start = 0;
    for (std::size_t k = 0; k < 3 && event == HUGE_VAL; start = kEnds[k], ++k) {
      const double hazard = kHazards[k] * (kEnds[k] - start);
      if (left < hazard) event = start + left / kHazards[k];
      left -= hazard;
    }
    const double censored = 8 * rng.uniform();
    const double end = std::min({event, censored, 6.0});
    const bool died = event <= std::min(censored, 6.0);
    start = 0;
    for (std::size_t k = 0; k < 3; start = kEnds[k], ++k) {
      lives.time[k] += std::clamp(end - start, 0.0, kEnds[k] - start);
      if (died && end > start && end <= kEnds[k]) lives.events[k] += 1;
    }
    const std::string cells[] = {fmt::format("{:.17g}", end), codes[died ? 1 : 0], fmt::format("{}", x)};
    const std::vector<std::optional<std::string_view>> views(std::begin(cells), std::end(cells));
    lives.table.append(views, std::nullopt);
  }
  return lives;
}

FitConfig config_of(const std::string& formula, double epsilon) {
  return parse_fit_config(
      fmt::format("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = \"survival\"\nformula = "
                  "\"{}\"\ncuts = [1, 3]\n[privacy]\nepsilon = {}\ndelta = 1e-6\n",
                  formula, epsilon),
      {});
}

// Without covariates the log hazards have gamma posteriors: mean log(events / time), variance 1 / events, up to the prior, which
// weighs 1e-3 of an event, and the skewness of their logarithm, 1 / (2 events).
TEST(Survival, hazards_are_events_over_time) {
  const Lives lives = some_lives(4000, 0, 1);
  FitConfig config = config_of("Surv(t, died) ~ 1", 1e5);
  TestEntropy entropy(3);
  const Problem problem = make_problem(config, lives.table);
  const RunRecord record = fit(config, problem, entropy);
  EXPECT_EQ(record.draws.parameters, (std::vector<std::string>{"Intercept", "t[1-3]", "t[3-6]"}));
  config.not_private = true;
  const RunRecord open = fit(config, problem, entropy);
  const double first = std::log(lives.events[0] / lives.time[0]);
  for (const RunRecord* one : {&record, &open}) {
    const auto summary = summarise(one->draws);
    for (std::size_t k = 0; k < 3; ++k) {
      const double hazard = std::log(lives.events[k] / lives.time[k]);
      const double sd = std::sqrt(1 / lives.events[k] + (k == 0 ? 0 : 1 / lives.events[0]));
      // Four Monte Carlo errors: 6e-5 a number.
      EXPECT_NEAR(summary[k].mean, k == 0 ? first : hazard - first,
                  4 * summary[k].mcse_mean + 2 / lives.events[k])
          << one->method << k;
      EXPECT_NEAR(summary[k].sd, sd, 4 * summary[k].mcse_sd + 0.02 * sd) << one->method << k;
    }
  }
}

// At epsilon 1, in ten tables of 20,000 rows each: four standard deviations are passed with probability 6e-5 a number, 3e-3 in all.
TEST(Survival, effects_are_found_at_epsilon_one) {
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Lives lives = some_lives(20000, kEffect, seed);
    const FitConfig config = config_of("Surv(t, died) ~ x", 1);
    TestEntropy entropy(seed);
    const RunRecord record = fit(config, make_problem(config, lives.table), entropy);
    const double truths[] = {std::log(kHazards[0]), std::log(kHazards[1] / kHazards[0]),
                             std::log(kHazards[2] / kHazards[0]), kEffect};
    const auto summary = summarise(record.draws);
    ASSERT_EQ(summary.size(), 4U);
    for (std::size_t j = 0; j < 4; ++j) {
      const double off = (summary[j].mean - truths[j]) / summary[j].sd;
      EXPECT_LT(std::abs(off), 4) << seed << ' ' << summary[j].parameter;
      EXPECT_LT(summary[j].sd, 0.12) << summary[j].parameter;
      squares += off * off;
    }
  }
  // Chi-squared with 40 degrees of freedom, whatever correlations there are within a table: mean 40, beyond 100 1e-4 at the most.
  EXPECT_LT(squares, 100);
}

// Of the last interval about a third is lived through where its end is declared as it is, and 1 part in 50 where ten times too far.
TEST(Survival, follow_up_that_is_declared_too_long_is_told) {
  const auto told = testing::Contains(testing::HasSubstr("Hardly anybody was followed to the end"));
  for (const double longest : {6.0, 60.0}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Lives lives = some_lives(20000, kEffect, seed, {"died", ColumnKind::binary}, {"0", "1"}, longest);
      const FitConfig config = config_of("Surv(t, died) ~ x", 3);
      TestEntropy entropy(seed);
      const auto warnings = fit(config, make_problem(config, lives.table), entropy).warnings;
      if (longest > 6) {
        EXPECT_THAT(warnings, told) << seed;
      } else {
        EXPECT_THAT(warnings, testing::Not(told)) << seed;
      }
    }
  }
}

// The last interval goes to 20 or 40 in the place of 6, and hardly any of it is lived through: its hazard lies far from where the search
// begins. At epsilon 1 four standard deviations are passed by one of 32 numbers with a probability of 2e-3.
TEST(Survival, follow_up_that_is_declared_too_long_ends_in_an_answer) {
  for (const double longest : {20.0, 40.0}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Lives lives = some_lives(20000, kEffect, seed, {"died", ColumnKind::binary}, {"0", "1"}, longest);
      const FitConfig config = config_of("Surv(t, died) ~ x", 1);
      TestEntropy entropy(seed);
      const RunRecord record = fit(config, make_problem(config, lives.table), entropy);
      EXPECT_FALSE(record.unreliable) << longest << ' ' << seed;
      const double truths[] = {std::log(kHazards[0]), std::log(kHazards[1] / kHazards[0]),
                               std::log(kHazards[2] / kHazards[0]), kEffect};
      const auto summary = summarise(record.draws);
      for (std::size_t j = 0; j < 4; ++j)
        EXPECT_LT(std::abs(summary[j].mean - truths[j]), 4 * summary[j].sd)
            << longest << ' ' << seed << ' ' << summary[j].parameter;
    }
  }
}

// Stages of 1 to 4, a quarter of the lives each: shares of rows, whatever share of the time was lived.
TEST(Survival, shares_at_bounds_are_of_the_rows) {
  const Schema schema{{{"t", ColumnKind::real, {0, 1500}, {}},
                       {"died", ColumnKind::binary},
                       {"stage", ColumnKind::real, {1, 4}, {}}},
                      {}};
  Table table(schema);
  ChainRng rng(6);
  for (int i = 0; i < 12000; ++i) {
    const std::string stage = std::to_string(1 + rng.below(4));
    const double time = -300 * std::log(rng.uniform());
    const std::string cell = fmt::format("{:.17g}", std::min(time, 1500.0));
    table.append(std::vector<std::optional<std::string_view>>{cell, time < 1500 ? "1" : "0", stage},
                 std::nullopt);
  }
  FitConfig config = config_of("Surv(t, died) ~ stage", 1);
  config.model.cuts.clear();
  for (const std::uint64_t seed : {1, 2, 3}) {
    TestEntropy entropy(seed);
    EXPECT_THAT(fit(config, make_problem(config, table), entropy).warnings,
                testing::Each(testing::Not(testing::HasSubstr("bound ("))))
        << seed;
  }
}

// The same draws from the same noise.
TEST(Survival, the_event_may_have_any_code) {
  const auto draws = [](const char* formula, const SchemaColumn& died,
                        const std::array<const char*, 2>& codes) {
    TestEntropy entropy(3);
    const Lives lives = some_lives(2000, kEffect, 1, died, codes);
    const Problem problem = make_problem(config_of(formula, 1), lives.table);
    return summarise(fit(config_of(formula, 1), problem, entropy).draws)[0].mean;
  };
  const double usual = draws("Surv(t, died) ~ x", {"died", ColumnKind::binary}, {"0", "1"});
  EXPECT_EQ(draws("Surv(t, died == 2) ~ x", {"died", ColumnKind::count, {1, 2}, {}}, {"1", "2"}), usual);
  EXPECT_EQ(
      draws("Surv(t, died != 'no') ~ x", {"died", ColumnKind::category, {}, {"no", "dead"}}, {"no", "dead"}),
      usual);
}

// Noise of four standard deviations would be needed: 6e-5.
TEST(Survival, codes_that_mean_something_else_are_told) {
  const auto warned = [](const std::array<const char*, 2>& codes) {
    TestEntropy entropy(3);
    const FitConfig config = config_of("Surv(t, died) ~ x", 1);
    const Lives lives = some_lives(20000, 0.2, 1, {"died", ColumnKind::binary}, codes);
    return fmt::format("{}",
                       fmt::join(fit(config, make_problem(config, lives.table), entropy).warnings, "; "));
  };
  EXPECT_THAT(warned({"0", "1"}), testing::Not(testing::AnyOf(testing::HasSubstr("could be used"),
                                                              testing::HasSubstr("end with the event"))));
  EXPECT_THAT(warned({"2", "1"}), testing::HasSubstr("end with the event"));
  EXPECT_THAT(warned({"2", "3"}), testing::HasSubstr("of the rows could be used"));
}

// A tenth of the rows have one in three hundred of the others' hazard. One of two levels is the first: it is told either way.
TEST(Survival, levels_of_hardly_any_events_are_told) {
  const auto warned = [](const std::vector<std::string>& levels, double ratio) {
    const Schema schema{{{"t", ColumnKind::real, {0, 6}, {}},
                         {"died", ColumnKind::binary},
                         {"g", ColumnKind::category, {}, levels}},
                        {}};
    Table table(schema);
    ChainRng rng(5);
    for (int i = 0; i < 20000; ++i) {
      const bool rare = rng.below(10) == 0;
      const double time = -std::log(rng.uniform()) / (0.2 * (rare ? ratio : 1));
      const std::string cell = fmt::format("{:.17g}", std::min(time, 6.0));
      table.append(
          std::vector<std::optional<std::string_view>>{cell, time < 6 ? "1" : "0", rare ? "rare" : "usual"},
          std::nullopt);
    }
    TestEntropy entropy(3);
    const FitConfig config = config_of("Surv(t, died) ~ g", 1);
    return fmt::format("{}", fmt::join(fit(config, make_problem(config, table), entropy).warnings, "; "));
  };
  EXPECT_THAT(warned({"usual", "rare"}, 3e-3), testing::HasSubstr("Hardly any events are left of g[rare]"));
  EXPECT_THAT(warned({"rare", "usual"}, 3e-3), testing::HasSubstr("let another level be the first"));
  for (const std::vector<std::string>& levels :
       {std::vector<std::string>{"usual", "rare"}, {"rare", "usual"}})
    EXPECT_THAT(warned(levels, 0.3), testing::Not(testing::HasSubstr("hardly any")));
}

TEST(Survival, a_person_is_one_unit_whatever_the_number_of_pieces) {
  Schema schema{{{"t", ColumnKind::real, {0, 6}, {}},
                 {"died", ColumnKind::binary},
                 {"x", ColumnKind::real, {-1, 1}, {}}},
                {}};
  const FitConfig config = config_of("Surv(t, died) ~ x", 1);
  {
    Table table(schema);
    table.append_nothing();
    const Problem problem = make_problem(config, table);
    EXPECT_EQ(problem.unit.rows_per_unit, 3U);
    EXPECT_EQ(problem.unit.table_rows(), 1U);
    EXPECT_EQ(problem.public_info.privacy_unit, "one row");
    EXPECT_FALSE(problem.unit.rows_are_public());
  }
  schema.unit = {"who", 2};
  Table table(schema);
  const Problem problem = [&] {
    table.append_nothing();
    return make_problem(config, table);
  }();
  EXPECT_EQ(problem.unit.rows_per_unit, 6U);
  EXPECT_EQ(problem.unit.table_rows(), 2U);
  EXPECT_EQ(problem.public_info.privacy_unit, "one person (by column who, at most 2 rows)");
}

// 5,000 times; their events are binomial: five standard deviations. What they were made from is what a fit without noise finds: fewer than
// two of five intervals hold it once in 500 runs.
TEST(Survival, is_planned_for) {
  const Schema schema{{{"t", ColumnKind::real, {0, 6}, {}},
                       {"died", ColumnKind::binary},
                       {"x", ColumnKind::real, {-1, 1}, {}}},
                      {}};
  const FitConfig config = config_of("Surv(t, died) ~ x", 1);
  const MadeUpProblem made = make_up(config, schema, {.rows = 5000, .response_mean = 0.3});
  const Rows rows = made.problem.rows();
  double events = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    events += PieceResponse::of(rows.at(i, rows.columns() - 1)).event;
  EXPECT_NEAR(events, 1500, 5 * std::sqrt(5000 * 0.3 * 0.7));
  EXPECT_EQ(made.truth[1], 0);
  EXPECT_EQ(made.truth[2], 0);
  EXPECT_EQ(columns_of_right_side(config, schema), std::vector<std::string>{"x"});
  TestEntropy entropy(3);
  const Rehearsal rehearsal = rehearse(config, schema, {.rows = 5000}, {1, 100}, 5, entropy);
  for (const RehearsedParameter& one : rehearsal.without_noise) EXPECT_GE(one.covered, 0.4) << one.name;
  EXPECT_EQ(rehearsal.budgets[1].prospect, Prospect::good);
}

TEST(Survival, what_is_reported_leads_back) {
  const Lives lives = some_lives(3, 0, 1);
  const Problem problem = make_problem(config_of("Surv(t, died) ~ x", 1), lives.table);
  const Position reported{{-2, 0.5, 0.7, 0.3}};
  EXPECT_LT((problem.public_info.to_report(problem.public_info.from_report(reported)) - reported).norm(),
            1e-12);
}

TEST(Survival, families_and_responses_fit_or_are_refused) {
  const Lives lives = some_lives(3, 0, 1);
  const auto refused = [&](const std::string& family, const std::string& formula) -> std::string {
    FitConfig config = config_of(formula, 1);
    config.model.family = family;
    if (family != "piecewise-exponential") config.model.cuts.clear();
    try {
      (void)make_problem(config, lives.table);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  for (const char* family : {"bernoulli", "poisson", "normal"})
    EXPECT_THAT(refused(family, "Surv(t, died) ~ x"), testing::HasSubstr("has the family survival"))
        << family;
  EXPECT_THAT(refused("piecewise-exponential", "died ~ x"), testing::HasSubstr("Surv(time, event)"));
  EXPECT_EQ(refused("piecewise-exponential", "Surv(t, died) ~ x"), "");
}

}  // namespace
}  // namespace sotto
