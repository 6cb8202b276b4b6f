// More draws from releases that were paid for: the same posterior, nothing asked and nothing charged.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/table.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Schema paid_schema(double upper = 1, Adjacency adjacency = Adjacency::substitute) {
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "y", .kind = ColumnKind::binary, .bounds = {0, 1}},
                    {.name = "x", .bounds = {-1, upper}}};
  return schema;
}

Table paid_table(std::size_t rows = 2000, Adjacency adjacency = Adjacency::substitute) {
  Table table(paid_schema(1, adjacency));
  ChainRng rng(8);
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = std::clamp(0.4 * rng.normal(), -1.0, 1.0);
    const std::string cells[] = {rng.uniform() < 0.5 + 0.3 * x ? "1" : "0", fmt::format("{}", x)};
    const std::optional<std::string_view> views[] = {cells[0], cells[1]};
    table.append(views, std::nullopt);
  }
  return table;
}

FitConfig paid_config(const std::vector<std::string>& more = {}, const char* model = "regression") {
  std::vector<std::string> settings = {"data.file=x",        "data.schema=x", "privacy.epsilon=2",
                                       "privacy.delta=1e-6", "threads=1",     "method.draws=200",
                                       "method.chains=2"};
  if (std::string_view(model) == "regression") {
    settings.emplace_back("model.formula=\"y ~ x\"");
  } else {
    settings.insert(settings.end(),
                    {"model.family=\"normal-mean\"", "model.columns=[\"x\"]", "model.sd=[0.4]"});
  }
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_fit_config("", settings);
}

RunRecord paid(const FitConfig& config, const Table& table) {
  TestEntropy entropy(5);
  return fit(config, make_problem(config, table), entropy);
}

std::optional<double> public_count(Adjacency adjacency) {
  return adjacency == Adjacency::substitute ? std::optional<double>(2000) : std::nullopt;
}

TEST(FitAgain, draws_are_those_of_the_fit_that_paid) {
  for (const char* model : {"regression", "mean"}) {
    for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
      const FitConfig config = paid_config({}, model);
      const RunRecord first = paid(config, paid_table(2000, adjacency));
      ASSERT_TRUE(first.kept);
      const Problem known =
          make_problem_without_rows(config, paid_schema(1, adjacency), public_count(adjacency));
      EXPECT_THROW((void)known.rows(), Error);
      const RunRecord again = fit_again(config, known, *first.kept);
      ASSERT_EQ(again.draws.chains.size(), 2u);
      for (std::size_t c = 0; c < 2; ++c)
        EXPECT_EQ(again.draws.chains[c].draws, first.draws.chains[c].draws) << model;
      EXPECT_EQ(again.warnings, first.warnings);
      EXPECT_EQ(again.sd_inflation, first.sd_inflation);
    }
  }
}

TEST(FitAgain, draws_as_many_as_are_wanted) {
  const RunRecord first = paid(paid_config(), paid_table());
  const FitConfig more = paid_config({"method.draws=700", "method.seed=9", "method.chains=3"});
  const RunRecord again =
      fit_again(more, make_problem_without_rows(more, paid_schema(), 2000.0), *first.kept);
  ASSERT_EQ(again.draws.chains.size(), 3u);
  EXPECT_EQ(again.draws.chains[0].draws.rows(), 700);
  EXPECT_NE(again.draws.chains[0].draws(0, 0), first.draws.chains[0].draws(0, 0)) << "another seed";
  EXPECT_FALSE(again.privacy.is_private) << "it has no statement of its own: the earlier fit's holds";
}

TEST(FitAgain, goes_on_from_no_other_fit) {
  const RunRecord first = paid(paid_config(), paid_table());
  const auto why = [&](const std::vector<std::string>& more, const Schema& schema = paid_schema(),
                       std::optional<double> rows = 2000) {
    const FitConfig config = paid_config(more);
    try {
      (void)fit_again(config, make_problem_without_rows(config, schema, rows), *first.kept);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(why({}), "none");
  EXPECT_NE(why({"model.formula=\"y ~ 1\""}).find("of a fit with another model"), std::string::npos);
  EXPECT_NE(why({"privacy.epsilon=3"}).find("of a fit with another epsilon"), std::string::npos);
  EXPECT_NE(why({"privacy.delta=1e-7"}).find("of a fit with another delta"), std::string::npos);
  EXPECT_NE(
      why({"prior.default.family=\"normal\"", "prior.default.scale=1"}).find("of a fit with another prior"),
      std::string::npos);
  EXPECT_NE(why({}, paid_schema(2)).find("of a fit with another schema"), std::string::npos);
  EXPECT_NE(why({}, paid_schema(), 2001).find("of a fit with another number of rows"), std::string::npos);
  EXPECT_NE(why({"method.name=\"penalty\""}).find("asks at every step"), std::string::npos);
}

TEST(FitAgain, chains_keep_nothing_to_go_on_from) {
  EXPECT_FALSE(paid(paid_config({"method.name=\"penalty\"", "method.draws=10"}), paid_table()).kept);
}

}  // namespace
}  // namespace sotto
