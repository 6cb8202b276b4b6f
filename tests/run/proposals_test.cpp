// [proposal] and [start]: every choice leads to the same posterior, begins where it is told to, or is refused.
#include "sotto/run/method.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kFew = 60;  // rows: a posterior that is skewed

struct Row {
  double x, y;
};

const std::vector<Row>& few_rows() {
  static const std::vector<Row> made = [] {
    std::vector<Row> rows;
    ChainRng rng(44);
    for (std::size_t i = 0; i < kFew; ++i) {
      const double x = 2 * rng.uniform() - 1;
      rows.push_back({x, rng.uniform() < 1 / (1 + std::exp(-1.5 - 2 * x)) ? 1.0 : 0.0});
    }
    return rows;
  }();
  return made;
}

Table few_rows_as_table() {
  Schema schema;
  schema.columns = {{.name = "y", .kind = ColumnKind::binary}, {.name = "x", .bounds = {-1, 1}}};
  Table table(schema);
  for (const Row& row : few_rows()) {
    const std::string cells[] = {fmt::format("{}", row.y), fmt::format("{}", row.x)};
    table.append(std::vector<std::optional<std::string_view>>{cells[0], cells[1]}, std::nullopt);
  }
  return table;
}

struct Moments {
  double mean[2], sd[2];
};

/// By the midpoint rule over a box that holds all but 1e-9 of it; priors are normal(0, 2.5).
Moments by_quadrature() {
  Moments sum{{0, 0}, {0, 0}};
  double total = 0;
  for (double a = -1; a < 6; a += 0.02) {
    for (double b = -4; b < 10; b += 0.04) {
      double log_density = -(a * a + b * b) / (2 * 2.5 * 2.5);
      for (const Row& row : few_rows()) {
        const double eta = a + b * row.x;
        log_density += row.y * eta - std::log1p(std::exp(eta));
      }
      const double weight = std::exp(log_density);
      total += weight;
      sum.mean[0] += weight * a;
      sum.mean[1] += weight * b;
      sum.sd[0] += weight * a * a;
      sum.sd[1] += weight * b * b;
    }
  }
  for (int j = 0; j < 2; ++j) {
    sum.mean[j] /= total;
    sum.sd[j] = std::sqrt(sum.sd[j] / total - sum.mean[j] * sum.mean[j]);
  }
  return sum;
}

FitConfig logistic_config(const std::vector<std::string>& more) {
  std::vector<std::string> settings = {"data.file=x",        "data.schema=x", "model.formula=\"y ~ x\"",
                                       "privacy.delta=1e-6", "threads=1",     "method.chains=4"};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_fit_config("", settings);
}

struct Choice {
  const char* method;
  const char* proposal;
};

void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.method << ", " << choice.proposal; }

class Proposals : public testing::TestWithParam<Choice> {};

// At a budget whose noise is nothing, against quadrature. Means and sds within five of the chains' own standard errors, which
// have heavy tails: false alarms below 1e-3 each, the seeds are fixed; and those errors are small enough to say much. Barker's test is within
// 5.9e-4 of its own.
TEST_P(Proposals, lead_to_the_posterior) {
  const auto& [method, proposal] = GetParam();
  const bool study = std::string(method) == "metropolis" || std::string(method) == "nonprivate-barker";
  const FitConfig config =
      logistic_config({std::string("method.name=\"") + method + "\"",
                       std::string("proposal.name=\"") + proposal + "\"", "method.warmup=1500",
                       "method.draws=6000", study ? "privacy.not_private=true" : "privacy.epsilon=1000000"});
  const Table table = few_rows_as_table();
  TestEntropy entropy(9);
  const RunRecord record = fit(config, make_problem(config, table), entropy);
  EXPECT_EQ(record.manifest.configuration.at("proposal").at("name"), proposal);
  const Moments exact = by_quadrature();
  const auto summary = summarise(record.draws);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_LT(summary[j].mcse_mean, 0.05 * exact.sd[j]);
    EXPECT_NEAR(summary[j].mean, exact.mean[j], 5 * summary[j].mcse_mean);
    EXPECT_NEAR(summary[j].sd, exact.sd[j], 5 * summary[j].mcse_sd);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Proposals,
                         testing::Values(Choice{"penalty", "normal"}, Choice{"penalty", "truncated"},
                                         Choice{"penalty", "independence"}, Choice{"penalty", "coordinate"},
                                         Choice{"barker", "truncated"}, Choice{"barker", "coordinate"},
                                         Choice{"metropolis", "truncated"},
                                         Choice{"nonprivate-barker", "coordinate"}));

std::string why_refused(const std::vector<std::string>& more) {
  try {
    const FitConfig config = logistic_config(more);
    const Table table = few_rows_as_table();
    TestEntropy entropy(9);
    static_cast<void>(fit(config, make_problem(config, table), entropy));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(Proposal, that_does_not_fit_is_refused) {
  const auto refused = [](const std::string& method, const std::string& proposal) {
    return why_refused(
        {"privacy.epsilon=1", "method.name=\"" + method + "\"", "proposal.name=\"" + proposal + "\""});
  };
  for (const char* method : {"auto", "hmc", "sgld", "guided-walk", "penalty-subsampled"})
    EXPECT_NE(refused(method, "truncated").find("no proposal to choose"), std::string::npos) << method;
  EXPECT_NE(refused("barker", "independence").find("cannot be made shorter"), std::string::npos);
  EXPECT_NE(why_refused({"privacy.not_private=true", "method.name=metropolis", "proposal.name=independence"})
                .find("first noisy release"),
            std::string::npos);
  EXPECT_NE(why_refused({"privacy.epsilon=1", "method.name=penalty", "proposal.name=independence",
                         "model.likelihood_power=0.5"})
                .find("first noisy release"),
            std::string::npos);
  EXPECT_NE(refused("penalty", "normale").find("did you mean normal"), std::string::npos);
  EXPECT_NE(
      why_refused({"privacy.epsilon=1", "method.name=penalty", "proposal.bound=0"}).find("proposal.bound"),
      std::string::npos);
}

TEST(Start, is_where_all_chains_begin) {
  // Steps are as good as none, so the first draw is where a chain began.
  for (const char* method : {"penalty", "barker"}) {
    const FitConfig config =
        logistic_config({std::string("method.name=\"") + method + "\"", "privacy.epsilon=1e-3",
                         "start.x=1.25", "method.draws=2", "method.warmup=1", "method.step_size=1e-9"});
    const Table table = few_rows_as_table();
    TestEntropy entropy(9);
    const RunRecord record = fit(config, make_problem(config, table), entropy);
    for (const Chain& chain : record.draws.chains) {
      ASSERT_EQ(chain.draws.rows(), 2) << method;
      EXPECT_NEAR(chain.draws(0, 1), 1.25, 1e-6) << method;
    }
    EXPECT_EQ(record.manifest.configuration.at("start").at("x"), 1.25);
    EXPECT_NE(record.warnings.end(),
              std::find_if(record.warnings.begin(), record.warnings.end(),
                           [](const auto& w) { return w.find("position of [start]") != std::string::npos; }));
  }
}

// In units as reported, whatever the chain's own are: columns that are scaled, a sigma, an offset, and no intercept's shift.
TEST(Start, is_in_the_units_of_the_report) {
  Schema schema;
  schema.columns = {{.name = "y", .bounds = {-50, 50}},
                    {.name = "n", .kind = ColumnKind::count, .bounds = {0, 40}},
                    {.name = "x", .bounds = {100, 300}},
                    {.name = "days", .bounds = {1, 100}}};
  Table table(schema);
  for (int i = 0; i < 20; ++i)
    table.append(std::vector<std::optional<std::string_view>>{"1.5", "3", "200", "9"}, std::nullopt);
  const auto start_of = [&](const std::string& model, const std::string& start) {
    const std::string text =
        "[data]\nfile = \"x\"\nschema = \"x\"\n[privacy]\nepsilon = 1\ndelta = 1e-6\n[model]\n" + model +
        "\n[start]\n" + start + "\n";
    const Problem problem = make_problem(parse_fit_config(text, {}), table);
    return problem.public_info.to_report(*problem.public_info.chosen_start);
  };
  const Position normal =
      start_of("family = \"normal\"\nformula = \"y ~ x\"", "Intercept = -7\nx = 0.03\nsigma = 2.5");
  EXPECT_LT((normal - Position{{-7, 0.03, 2.5}}).cwiseAbs().maxCoeff(), 1e-9);
  const Position counts =
      start_of("family = \"poisson\"\nformula = \"n ~ x + offset(log(days))\"", "Intercept = -1\nx = 0.01");
  EXPECT_LT((counts - Position{{-1, 0.01}}).cwiseAbs().maxCoeff(), 1e-9);
  const Position mean =
      start_of("family = \"normal-mean\"\ncolumns = [\"y\", \"x\"]\nsd = [1, 2]", "x = 150");
  EXPECT_EQ(mean, (Position{{0, 150}}));
}

TEST(Start, that_means_nothing_is_refused) {
  const auto refused = [](const std::string& method, const std::string& start) {
    return why_refused({"privacy.epsilon=1", "method.name=\"" + method + "\"", start});
  };
  EXPECT_NE(refused("penalty", "start.z=1").find("names no parameter"), std::string::npos);
  EXPECT_NE(refused("penalty", "start.x=1e9").find("allow no posterior"), std::string::npos);
  EXPECT_NE(refused("penalty", "start.x=nan").find("finite"), std::string::npos);
  EXPECT_NE(refused("auto", "start.x=1").find("release-once runs no chain"), std::string::npos);
}

}  // namespace
}  // namespace sotto
