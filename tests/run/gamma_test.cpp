// Responses that are not negative, in any unit, from a table to the posterior: a closed form without covariates, the truth with.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/fit_without_privacy.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace gamma_costs {
namespace {

using ::testing::HasSubstr;

constexpr double kLevel = 700;   // mean where x is 0
constexpr double kEffect = 0.4;  // of x, -1 or 1

struct Costs {
  Table table;
  double mean = 0;
};

/// Costs of shape 1, so that their standard deviation is their mean, in a unit that is worth so much.
Costs some_costs(std::size_t count, double unit, double effect, std::uint64_t seed) {
  const double upper = 30 * kLevel / unit;
  Costs costs{
      Table(Schema{{{"cost", ColumnKind::real, {0, upper}, {}}, {"x", ColumnKind::real, {-1, 1}, {}}}, {}})};
  ChainRng rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = rng.below(2) == 0 ? -1 : 1;
    const double cost = std::min(-std::log(rng.uniform()) * kLevel * std::exp(effect * x) / unit, upper);
    costs.mean += cost / static_cast<double>(count);
    const std::string cells[] = {fmt::format("{:.17g}", cost), fmt::format("{}", x)};
    const std::vector<std::optional<std::string_view>> views(std::begin(cells), std::end(cells));
    costs.table.append(views, std::nullopt);
  }
  return costs;
}

FitConfig config_of(const std::string& formula, double epsilon, const std::string& more = "") {
  return parse_fit_config(
      fmt::format("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = "
                  "\"gamma\"\nformula = \"{}\"\n[privacy]\nepsilon = {}\ndelta = 1e-6\n{}",
                  formula, epsilon, more),
      {});
}

// log(mean cost) with standard deviation 1 / sqrt(count). Far within the Monte Carlo error of four for 4,000 draws, and what clips
// at a few standard deviations take off and is put back: a quarter of a standard deviation.
TEST(Gamma, the_intercept_is_the_logarithm_of_the_mean) {
  for (const double unit : {1e6, 1.0, 1e-6}) {
    const Costs costs = some_costs(4000, unit, 0, 1);
    const FitConfig config = config_of("cost ~ 1", 1e5);
    TestEntropy entropy(3);
    const RunRecord record = fit(config, make_problem(config, costs.table), entropy);
    const auto summary = summarise(record.draws);
    const double sd = 1 / std::sqrt(4000.0);
    EXPECT_NEAR(summary[0].mean, std::log(costs.mean), sd / 4) << unit;
    EXPECT_NEAR(summary[0].sd / sd, 1, 0.15) << unit;
  }
}

// There is no likelihood to run a chain on: release-once without noise is what a private fit is compared with. Limits as above.
TEST(Gamma, without_privacy_is_released_once_without_noise) {
  const Costs costs = some_costs(4000, 1, 0, 1);
  const FitConfig config = config_of("cost ~ x", 1, "not_private = true\n");
  TestEntropy entropy(3);
  const RunRecord record = fit(config, make_problem(config, costs.table), entropy);
  EXPECT_FALSE(record.privacy.is_private);
  const auto summary = summarise(record.draws);
  const double sd = 1 / std::sqrt(4000.0);
  EXPECT_NEAR(summary[0].mean, std::log(costs.mean), sd / 4);
  EXPECT_NEAR(summary[1].sd / sd, 1, 0.15);
  const FitConfig compared = config_of("cost ~ x", 1);
  const Draws beside = fit_without_privacy(compared, make_problem(compared, costs.table));
  EXPECT_EQ(beside.chains[0].draws, record.draws.chains[0].draws);
}

// Without noise the standard deviation of a coefficient of x in {-1, 1} is 1 / sqrt(rows) at shape 1, which is no point of the grid
// that fits are planned with. At this epsilon the noise is next to none.
TEST(Gamma, the_shape_and_how_much_wider_intervals_are_is_told) {
  const Costs costs = some_costs(20000, 1, kEffect, 2);
  const FitConfig config = config_of("cost ~ x", 1000);
  TestEntropy entropy(4);
  const RunRecord record = fit(config, make_problem(config, costs.table), entropy);
  const nlohmann::ordered_json& told = record.manifest.configuration.at("release_once");
  EXPECT_NEAR(told.at("count_dispersion").get<double>(), 1, 0.07);
  ASSERT_EQ(record.sd_inflation.size(), 1U);
  EXPECT_NEAR(record.sd_inflation[0].second / (summarise(record.draws)[1].sd * std::sqrt(20000.0)), 1, 0.1);
}

// Six standard deviations of 1 / sqrt(rows) and noise, whatever the seed of the noise is.
TEST(Gamma, effects_are_ratios_of_means_at_a_usual_budget) {
  const Costs costs = some_costs(20000, 1, kEffect, 2);
  const FitConfig config = config_of("cost ~ x", 1);
  TestEntropy entropy(4);
  const RunRecord record = fit(config, make_problem(config, costs.table), entropy);
  const auto summary = summarise(record.draws);
  EXPECT_LT(std::abs(summary[1].mean - kEffect), 5 * summary[1].sd);
  EXPECT_LT(summary[1].sd, 4 / std::sqrt(20000.0));
  EXPECT_EQ(make_problem(config, costs.table).public_info.ratio, "ratio of means");
}

// A prior on the intercept is in the response's unit: one that is as good as a point decides.
TEST(Gamma, a_prior_of_the_intercept_is_in_the_responses_unit) {
  const Costs costs = some_costs(2000, 1, 0, 3);
  const FitConfig config = config_of(
      "cost ~ 1", 1, "[prior.parameter.Intercept]\nfamily = \"normal\"\nlocation = 6\nscale = 1e-4\n");
  TestEntropy entropy(5);
  const RunRecord record = fit(config, make_problem(config, costs.table), entropy);
  EXPECT_NEAR(summarise(record.draws)[0].mean, 6, 1e-3);
}

std::string refusal(const std::string& formula, const std::string& more, const Schema& schema) {
  const FitConfig config = config_of(formula, 1, more);
  try {
    TestEntropy entropy(6);
    Table table(schema);
    for (int i = 0; i < 100; ++i) table.append_nothing();
    static_cast<void>(fit(config, make_problem(config, table), entropy));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Gamma, what_it_cannot_do_is_refused) {
  const Schema schema{{{"cost", ColumnKind::real, {0, 100}, {}}, {"x", ColumnKind::real, {-1, 1}, {}}}, {}};
  const Schema debts{{{"cost", ColumnKind::real, {-1, 100}, {}}}, {}};
  EXPECT_THAT(refusal("cost ~ 1", "", debts), HasSubstr("declare its bounds from 0 on"));
  EXPECT_THAT(refusal("cost ~ 0 + x", "", schema), HasSubstr("has an intercept"));
  EXPECT_THAT(refusal("cost ~ x", "[method]\nname = \"penalty\"\n", schema), HasSubstr("release-once"));
  EXPECT_THAT(refusal("cost ~ x", "not_private = true\n[method]\nname = \"metropolis\"\n", schema),
              HasSubstr("release-once"));
}

}  // namespace
}  // namespace gamma_costs
}  // namespace sotto
