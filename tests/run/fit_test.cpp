// Whole fits of a real table, with noise that the test injects.
#include "sotto/run/fit.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/random/chain_rng.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"
#include "support/tables_of_one_sum.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

RunRecord randhie(const std::vector<std::string>& overrides, const FitProgress& progress = {},
                  const BookingWriter& writer = {}) {
  std::vector<std::string> all = {"data.file=randhie.csv",
                                  "data.schema=randhie.schema.toml",
                                  "model.formula=\"mdvis > 0 ~ lncoins + idp + disea + hlthg\"",
                                  "privacy.epsilon=3",
                                  "privacy.delta=1e-6",
                                  "method.chains=2"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  const FitConfig config = parse_fit_config("", all);
  const Schema schema = read_schema(SOTTO_DATA "/randhie.schema.toml");
  const Table table = read_table(SOTTO_DATA "/randhie.csv", schema.select(columns_read(config.model)));
  TestEntropy entropy(17);
  return fit(config, make_problem(config, table), entropy, progress, writer);
}

class Threads : public testing::TestWithParam<const char*> {};

TEST_P(Threads, same_draws_with_1_2_and_3) {
  const std::string method = std::string("method.name=\"") + GetParam() + "\"";
  const RunRecord one = randhie({method, "method.draws=30", "threads=1"});
  for (const char* threads : {"threads=2", "threads=3"}) {
    const RunRecord many = randhie({method, "method.draws=30", threads});
    for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(one.draws.chains[c].draws, many.draws.chains[c].draws);
  }
  EXPECT_EQ(one.draws.chains[0].draws.rows(), 30);
  EXPECT_LE(one.privacy.spent_epsilon, 3);
  EXPECT_FALSE(one.privacy.is_private) << "noise that a test can repeat must not be called private";
}

INSTANTIATE_TEST_SUITE_P(Methods, Threads,
                         testing::Values("release-once", "penalty", "penalty-one-at-a-time", "guided-walk",
                                         "hmc", "hmc-friction"));

TEST(Fit, settings_of_chains_are_told_where_there_are_none) {
  const auto told = testing::Contains(testing::HasSubstr("and release-once makes none"));
  const RunRecord once = randhie({"method.draws=20", "method.thin=3", "method.step_size=0.1"});
  EXPECT_THAT(
      once.warnings,
      testing::Contains("Note: method.thin, method.step_size are for chains, and release-once makes none."));
  EXPECT_THAT(randhie({"method.draws=20"}).warnings, testing::Not(told));
  EXPECT_THAT(randhie({"method.draws=20", "method.thin=3", "method.name=\"penalty\""}).warnings,
              testing::Not(told));
}

// Counts may vary in any way, yes and no in one.
TEST(Fit, what_langevin_chains_take_of_counts_is_told) {
  const auto told = testing::Contains(testing::StartsWith("Note: sgld takes rows to vary as the model says"));
  const std::string counts = "model.formula=\"mdvis ~ lncoins\"";
  const std::string poisson = "model.family=\"poisson\"";
  EXPECT_THAT(randhie({"method.draws=20", "method.name=\"sgld\"", counts, poisson}).warnings, told);
  EXPECT_THAT(randhie({"method.draws=20", "method.name=\"penalty\"", counts, poisson}).warnings,
              testing::Not(told));
  EXPECT_THAT(randhie({"method.draws=20", "method.name=\"sgld\""}).warnings, testing::Not(told));
}

// Who reads privacy.json alone can price a run of batches again; other releases have no rate.
TEST(Fit, batches_are_stated_with_their_sampling_rate) {
  const auto rates = [](const std::vector<std::string>& settings) {
    std::vector<std::optional<double>> all;
    for (const ReleaseLine& line : privacy_from_json(to_json(randhie(settings).privacy)).releases)
      all.push_back(line.sampling_rate);
    return all;
  };
  EXPECT_THAT(rates({"method.draws=20", "method.name=\"sgld\"", "method.rate=0.01"}),
              testing::Contains(std::optional(0.01)));
  EXPECT_THAT(rates({"method.draws=20"}), testing::Each(std::optional<double>()));
}

TEST(Fit, settings_of_other_methods_are_told) {
  const auto told = testing::Contains(testing::HasSubstr("of other methods"));
  EXPECT_THAT(
      randhie({"method.draws=20", "method.rate=.2", "method.decay=0.3", "method.name=\"penalty\""}).warnings,
      testing::Contains("Note: method.rate, method.decay are of other methods: penalty does not read them."));
  EXPECT_THAT(randhie({"method.draws=20", "method.leapfrog_steps=3", "method.name=\"hmc\""}).warnings,
              testing::Not(told));
  const auto bound =
      testing::Contains(testing::StartsWith("Note: proposal.bound is for proposals that are truncated"));
  EXPECT_THAT(randhie({"method.draws=20", "proposal.bound=2", "method.name=\"penalty\""}).warnings, bound);
  EXPECT_THAT(randhie({"method.draws=20", "proposal.bound=2", "proposal.name=\"truncated\"",
                       "method.name=\"penalty\""})
                  .warnings,
              testing::Not(bound));
}

// A signal that came while the plan was made: batches are all paid for at once, a look is a tenth.
TEST(Fit, what_is_not_wanted_any_more_is_not_paid_for) {
  for (const char* method : {"penalty", "hmc", "sgld", "penalty-subsampled", "release-once"}) {
    int asked = 0;
    int booked = 0;
    try {
      (void)randhie(
          {fmt::format("method.name=\"{}\"", method), "method.draws=20", "method.batch_rate=0.5"},
          [&](std::size_t, std::size_t, double) { return ++asked < 1; }, [&](const Booking&) { ++booked; });
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::interrupted) << method << error.what();
    }
    EXPECT_EQ(booked, 0) << method;
    EXPECT_EQ(asked, 1) << method;
  }
}

TEST(Fit, a_prior_that_holds_a_chain_back_is_told) {
  const auto told = testing::Contains(testing::StartsWith("The prior holds back disea ("));
  const std::string far = "prior.parameter.disea={family=\"normal\", location=5, scale=0.5}";
  EXPECT_THAT(randhie({"method.draws=50", "method.name=\"hmc\"", far}).warnings, told);
  EXPECT_THAT(randhie({"method.draws=50", "method.name=\"hmc\""}).warnings, testing::Not(told));
}

TEST(Fit, a_prior_that_makes_up_part_of_what_sgld_draws_from_is_told) {
  const auto told = testing::Contains(testing::HasSubstr("of disea part is the prior's"));
  const std::string narrow = "prior.parameter.disea={family=\"normal\", scale=0.02}";
  const auto warnings = [](const char* method, const std::string& prior) {
    return randhie(
               {"method.draws=100", "privacy.epsilon=1e5", fmt::format("method.name=\"{}\"", method), prior})
        .warnings;
  };
  EXPECT_THAT(warnings("sgld", narrow), told);
  EXPECT_THAT(warnings("sgld", "method.chains=4"), testing::Not(told));
  EXPECT_THAT(warnings("penalty", narrow), testing::Not(told));
}

TEST(Fit, numbers_are_read_as_people_write_them) {
  const auto config = [](const std::string& setting) {
    return parse_fit_config("", {"data.file=d.csv", "data.schema=s.toml", "model.family=\"bernoulli\"",
                                 "model.formula=\"y ~ x\"", "privacy.not_private=true", setting});
  };
  EXPECT_EQ(config("method.draws=1e3").method.draws, 1000);
  EXPECT_EQ(config("method.rate=.25").method.rate, 0.25);
  for (const char* wrong : {"method.draws=1.5", "method.draws=-1e3", "method.draws=1e30", "method.rate=.2x"})
    EXPECT_THROW(static_cast<void>(config(wrong)), Error) << wrong;
}

TEST(Fit, a_prior_that_holds_is_not_taken_for_noise) {
  const RunRecord record =
      randhie({"privacy.epsilon=50", "prior.parameter.disea={family=\"normal\", scale=0.005}"});
  EXPECT_THAT(record.warnings,
              testing::Contains(testing::HasSubstr("left of disea, and not for the noise: the prior")));
  EXPECT_THAT(record.warnings, testing::Each(testing::Not(testing::HasSubstr("hide what the data say"))));
}

TEST(Fit, refuses_methods_that_do_not_fit_the_promise) {
  EXPECT_THROW(static_cast<void>(randhie({"method.name=\"metropolis\""})), Error);
  EXPECT_THROW(static_cast<void>(randhie({"method.name=\"penalty\"", "privacy.not_private=true"})), Error);
  EXPECT_THROW(static_cast<void>(randhie({"method.name=\"nonsense\""})), Error);
  EXPECT_THROW(static_cast<void>(randhie({"prior.default={family=\"flat\"}"})), Error);
  EXPECT_THROW(static_cast<void>(randhie({"privacy.epsilon=-1"})), Error);
  EXPECT_THROW(static_cast<void>(randhie({"method.drawz=3"})), Error);
}

// Rates of 3,000 persons seen from 1 to 100 days: an offset's coefficient is 1, and no parameter. At this epsilon the noise is
// small; five standard deviations, false alarm below 1e-5 in all.
TEST(Fit, an_offset_is_known) {
  const Schema schema{{{"y", ColumnKind::count, {0, 100}, {}},
                       {"x", ColumnKind::real, {-4, 4}, {}},
                       {"days", ColumnKind::real, {1, 100}, {}}},
                      {}};
  Table table(schema);
  ChainRng rng(8);
  for (int i = 0; i < 3000; ++i) {
    const double days = std::exp(rng.uniform() * std::log(100.0));
    const double x = rng.normal() + 0.3 * (std::log(days) - 2);
    const double mean = days * std::exp(-2 + 0.5 * x);
    double y = 0;
    for (double left = mean + std::log(rng.uniform()); left > 0; left += std::log(rng.uniform())) ++y;
    const std::string cells[] = {std::to_string(y), std::to_string(x), std::to_string(days)};
    table.append(std::vector<std::optional<std::string_view>>{cells[0], cells[1], cells[2]}, std::nullopt);
  }
  for (const bool is_private : {false, true}) {
    std::vector<std::string> settings{"data.file=x",          "data.schema=x",
                                      "model.family=poisson", "model.formula=\"y ~ x + offset(log(days))\"",
                                      "method.draws=400",     "method.chains=2"};
    if (is_private) {
      settings.insert(settings.end(), {"privacy.epsilon=100", "privacy.delta=1e-6"});
    } else {
      settings.emplace_back("privacy.not_private=true");
    }
    const FitConfig config = parse_fit_config("", settings);
    TestEntropy entropy(18);
    const RunRecord record = fit(config, make_problem(config, table), entropy);
    ASSERT_EQ(record.draws.parameters, (std::vector<std::string>{"Intercept", "x"}));
    const double truth[] = {-2, 0.5};
    for (Eigen::Index j = 0; j < 2; ++j) {
      const Eigen::ArrayXd draws = record.draws.chains[0].draws.col(j);
      const double sd = std::sqrt((draws - draws.mean()).square().mean());
      EXPECT_NEAR(draws.mean(), truth[j], 5 * sd) << record.method;
      EXPECT_LT(sd, 0.05) << record.method;
    }
    ASSERT_EQ(record.priors.size(), 2U);
    EXPECT_EQ(record.priors[1].parameter, "x");
  }
}

// Levels' predictors are judged where the other columns lie, however far from zero, and interactions have priors of their own.
// Five standard deviations of seven coefficients, false alarm below 1e-5.
TEST(Fit, without_an_intercept_levels_interact_and_years_are_far_from_zero) {
  const std::vector<std::string> g{"a", "b", "c"}, h{"p", "q"};
  const Schema schema{{{"y", ColumnKind::binary},
                       {"g", ColumnKind::category, {}, g},
                       {"h", ColumnKind::category, {}, h},
                       {"year", ColumnKind::real, {1990, 2020}, {}}},
                      {}};
  Table table(schema);
  ChainRng rng(12);
  const Position levels{{0, 0.5, -0.5}};
  for (int i = 0; i < 8000; ++i) {
    const std::size_t k = rng.below(3);
    const std::size_t second = rng.below(2);
    const double year = 1990 + 30 * rng.uniform();
    const double eta =
        levels[static_cast<Eigen::Index>(k)] + 0.4 * static_cast<double>(second) + 0.05 * (year - 2005);
    const std::string cell = std::to_string(year);
    table.append(
        std::vector<std::optional<std::string_view>>{rng.uniform() < 1 / (1 + std::exp(-eta)) ? "1" : "0",
                                                     g[k], h[second], cell},
        std::nullopt);
  }
  const FitConfig config = parse_fit_config(
      "", {"data.file=x", "data.schema=x", "model.formula=\"y ~ 0 + g*h + year\"", "method.draws=500",
           "method.chains=1", "privacy.delta=1e-6", "privacy.epsilon=3"});
  TestEntropy entropy(20);
  const RunRecord record = fit(config, make_problem(config, table), entropy);
  ASSERT_EQ(record.draws.parameters,
            (std::vector<std::string>{"g[a]", "g[b]", "g[c]", "h[q]", "year", "g[b]:h[q]", "g[c]:h[q]"}));
  const double from = -0.05 * 2005;
  const double truth[] = {from, from + 0.5, from - 0.5, 0.4, 0.05, 0, 0};
  for (Eigen::Index j = 0; j < 7; ++j) {
    const Eigen::ArrayXd draws = record.draws.chains[0].draws.col(j);
    const double sd = std::sqrt((draws - draws.mean()).square().mean());
    EXPECT_NEAR(draws.mean(), truth[j], 5 * sd) << j;
    EXPECT_LT(sd, j < 3 ? 20 : 0.5) << j;
  }
}

TEST(Fit, an_offset_of_a_normal_response_leaves_sigma_in_its_place) {
  const Schema schema{{{"y", ColumnKind::real, {-20, 20}, {}},
                       {"x", ColumnKind::real, {-4, 4}, {}},
                       {"o", ColumnKind::real, {0, 10}, {}}},
                      {}};
  Table table(schema);
  ChainRng rng(13);
  for (int i = 0; i < 1000; ++i) {
    const double x = rng.normal();
    const double o = 10 * rng.uniform();
    const std::string cells[] = {std::to_string(-5 + 0.5 * x + o + 0.3 * rng.normal()), std::to_string(x),
                                 std::to_string(o)};
    table.append(std::vector<std::optional<std::string_view>>{cells[0], cells[1], cells[2]}, std::nullopt);
  }
  const FitConfig config = parse_fit_config(
      "", {"data.file=x", "data.schema=x", "model.family=normal", "model.formula=\"y ~ x + offset(o)\"",
           "method.draws=300", "method.chains=1", "privacy.not_private=true"});
  TestEntropy entropy(21);
  const Draws draws = fit(config, make_problem(config, table), entropy).draws;
  ASSERT_EQ(draws.parameters, (std::vector<std::string>{"Intercept", "x", "sigma"}));
  ASSERT_EQ(draws.chains[0].draws.cols(), 3);
  const double truth[] = {-5, 0.5, 0.3};
  for (Eigen::Index j = 0; j < 3; ++j) EXPECT_NEAR(draws.chains[0].draws.col(j).mean(), truth[j], 0.06) << j;
}

TEST(Fit, says_whom_it_protects) {
  const auto words = [](PrivacyUnit unit) { return in_words(unit, ""); };
  PrivacyUnit unit;
  EXPECT_EQ(words(unit), "one row");
  unit.is_row = false;
  EXPECT_EQ(words(unit), "one person (at most 1 row)");
  unit.rows_per_unit = 5;
  EXPECT_EQ(words(unit), "one person (at most 5 rows)");
  EXPECT_EQ(in_words(unit, "hosp"), "one person (by column hosp, at most 5 rows)");
}

TEST(Fit, a_run_without_privacy_says_so) {
  const RunRecord record = randhie({"privacy.not_private=true", "method.draws=20", "method.warmup=20"});
  EXPECT_EQ(record.method, "nonprivate-hmc");
  EXPECT_FALSE(record.privacy.is_private);
}

TEST(Fit, ends_with_what_was_drawn_when_asked_to_stop) {
  const FitConfig config =
      parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"mdvis > 0 ~ disea\"",
                            "privacy.epsilon=3", "privacy.delta=1e-6", "method.name=\"penalty\"",
                            "method.warmup=5", "method.draws=50", "method.chains=2", "method.thin=1"});
  const Schema schema = read_schema(SOTTO_DATA "/randhie.schema.toml");
  const Table table = read_table(SOTTO_DATA "/randhie.csv", schema.select(columns_read(config.model)));
  TestEntropy entropy(17);
  const RunRecord record = fit(config, make_problem(config, table), entropy,
                               [](std::size_t done, std::size_t, double) { return done < 40; });
  EXPECT_EQ(record.draws.chains[0].stop, StopReason::interrupted);
  EXPECT_EQ(record.draws.chains[0].draws.rows(), 15);
}

TEST(Fit, release_once_asks_no_more_when_asked_to_stop) {
  const FitConfig config =
      parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"mdvis > 0 ~ disea\"",
                            "privacy.epsilon=3", "privacy.delta=1e-6", "method.name=\"release-once\""});
  const Schema schema = read_schema(SOTTO_DATA "/randhie.schema.toml");
  const Table table = read_table(SOTTO_DATA "/randhie.csv", schema.select(columns_read(config.model)));
  TestEntropy entropy(17);
  int questions = 0;
  try {
    static_cast<void>(fit(config, make_problem(config, table), entropy,
                          [&](std::size_t, std::size_t, double) { return ++questions <= 3; }));
    FAIL() << "it went on";
  } catch (const PaidError& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
    EXPECT_GT(error.privacy().spent_epsilon, 0);
    EXPECT_LT(error.privacy().spent_epsilon, 2);
  }
  EXPECT_EQ(questions, 4);
}

// Its steps done, or once so much of epsilon is spent. Tables of the same sums have the same releases under the same noise, however many
// rows they have and whatever those hold. Where the budget ends it: tests/privacy/replay_test.cpp.
TEST(Fit, how_far_a_run_comes_follows_from_settings_and_releases) {
  const std::vector<Table> tables = tables_of_one_sum();
  for (const auto& [method, most] : {std::pair{"penalty", 3.0}, {"guided-walk", 2.0}, {"hmc", 2.0}}) {
    const FitConfig config = parse_fit_config(
        "", {"data.file=x", "data.schema=x", "model.formula=\"z ~ x\"", "model.family=\"normal\"",
             "privacy.epsilon=3", "privacy.delta=1e-6", std::string("method.name=\"") + method + "\"",
             "method.warmup=3", "method.draws=20", "method.thin=1", "method.chains=2", "threads=1"});
    std::vector<RunRecord> runs;
    for (const Table& table : tables) {
      TestEntropy entropy(17);
      runs.push_back(fit(config, make_problem(config, table), entropy,
                         [most](std::size_t, std::size_t, double spent) { return spent < most; }));
    }
    for (std::size_t c = 0; c < 2; ++c) {
      const Chain& here = runs[0].draws.chains[c];
      const Chain& there = runs[1].draws.chains[c];
      EXPECT_EQ(here.stop, most < 3 ? StopReason::interrupted : StopReason::finished) << method;
      EXPECT_EQ(there.stop, here.stop) << method;
      ASSERT_GT(here.draws.rows(), 0) << method;
      ASSERT_EQ(there.draws.rows(), here.draws.rows()) << method;
      EXPECT_EQ(there.draws, here.draws) << method;
      EXPECT_EQ(there.steps, here.steps) << method;
    }
    EXPECT_EQ(to_json(runs[0].privacy).dump(), to_json(runs[1].privacy).dump()) << method;
  }
}

}  // namespace
}  // namespace sotto
