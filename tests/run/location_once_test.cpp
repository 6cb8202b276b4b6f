// A normal mean with a known covariance, from the configuration to the draws and what is said of them.
#include "sotto/run/location_once.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kTableRows = 2000;

/// Correlation 0.9.
Matrix correlated() { return Matrix{{1, 1.35}, {1.35, 2.25}}; }

const Matrix& values() {
  static const Matrix made = [] {
    Matrix rows(kTableRows, 2);
    ChainRng rng(14);
    const Matrix factor = Cholesky(correlated()).lower();
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      rows.row(i) = (Position{{0.5, 1}} + factor * rng.normals(2)).array().min(7).max(-7);
    return rows;
  }();
  return made;
}

Table table_within(double lower, double upper, Adjacency adjacency = Adjacency::substitute) {
  Schema schema;
  schema.columns = {{.name = "u", .bounds = {lower, upper}}, {.name = "v", .bounds = {lower, upper}}};
  schema.adjacency = adjacency;
  Table table(schema);
  for (Eigen::Index i = 0; i < kTableRows; ++i) {
    const std::string cells[] = {std::to_string(values()(i, 0)), std::to_string(values()(i, 1))};
    table.append(std::vector<std::optional<std::string_view>>{cells[0], cells[1]}, std::nullopt);
  }
  return table;
}

std::vector<std::string> settings_with(std::vector<std::string> more) {
  more.insert(more.begin(), {"data.file=x", "data.schema=x", "model.family=normal-mean",
                             "model.columns=[\"u\", \"v\"]", "privacy.delta=1e-6", "threads=2"});
  return more;
}
const std::string kCovariance = "model.covariance=[[1, 1.35], [1.35, 2.25]]";

RunRecord fitted(const Table& table, const std::vector<std::string>& more) {
  const FitConfig config = parse_fit_config("", settings_with(more));
  TestEntropy entropy(29);
  return fit(config, make_problem(config, table), entropy);
}

Matrix pooled(const Draws& draws) {
  Eigen::Index rows = 0;
  for (const Chain& chain : draws.chains) rows += chain.draws.rows();
  Matrix all(rows, 2);
  Eigen::Index at = 0;
  for (const Chain& chain : draws.chains) {
    all.middleRows(at, chain.draws.rows()) = chain.draws;
    at += chain.draws.rows();
  }
  return all;
}

// With noise that is nothing beside the rows' own: the conjugate posterior, along the wide axis and across it, where a posterior of
// independent columns would be three times too wide. Means within a fifth of a standard deviation, sds within a fifth. Independent draws
// are 4,000; the chains' errors are a few hundredths, and sgld's steps and batches widen it by up to a tenth. Seeds are fixed.
TEST(LocationOnce, a_covariance_is_that_of_the_posterior) {
  const Table table = table_within(-7, 7);
  const Matrix covariance =
      inverse(Matrix(kTableRows * inverse(correlated()) + Matrix::Identity(2, 2) / 6.25));
  const Position mean = covariance * inverse(correlated()) * Position(values().colwise().sum().transpose());
  const Matrix whiten = inverse(Cholesky(covariance).lower());
  for (const char* method : {"auto", "penalty-exponential-family", "hmc", "sgld"}) {
    const RunRecord record =
        fitted(table, {kCovariance, "privacy.epsilon=100000", "method.name=" + std::string(method)});
    const Matrix draws = (pooled(record.draws).rowwise() - mean.transpose()) * whiten.transpose();
    const Position centre = draws.colwise().mean();
    const Matrix second = (draws.rowwise() - centre.transpose()).transpose() *
                          (draws.rowwise() - centre.transpose()) / static_cast<double>(draws.rows());
    EXPECT_LT(centre.cwiseAbs().maxCoeff(), 0.2) << method;
    for (Eigen::Index j = 0; j < 2; ++j) EXPECT_NEAR(std::sqrt(second(j, j)), 1, 0.2) << method;
    EXPECT_LT(std::abs(second(0, 1)), 0.3) << method;
  }
}

// 0.6 sd of the rows is 27 of the posterior: the noise is allowed for, and wide bounds cost little.
TEST(LocationOnce, wide_bounds_are_no_loss) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const auto sd_of = [&](double half_width) {
      const RunRecord record =
          fitted(table_within(-half_width, half_width, adjacency), {kCovariance, "privacy.epsilon=1"});
      EXPECT_EQ(record.method, "release-once");
      EXPECT_LE(record.privacy.spent_epsilon, 1);
      EXPECT_GT(record.privacy.spent_epsilon, 0.99);
      const Matrix draws = pooled(record.draws);
      const Position centre = draws.colwise().mean();
      const Position sd = (draws.rowwise() - centre.transpose()).colwise().norm() /
                          std::sqrt(static_cast<double>(draws.rows()));
      EXPECT_LT((values().colwise().mean().transpose() - centre).cwiseAbs().cwiseQuotient(sd).maxCoeff(), 5);
      return sd[0];
    };
    const double near = sd_of(7);
    EXPECT_LT(near, 1.5 / std::sqrt(static_cast<double>(kTableRows)));
    EXPECT_LT(sd_of(7000), 1.1 * near);
  }
}

TEST(LocationOnce, says_what_the_bounds_do) {
  const auto warnings = [](const Table& table, const std::vector<std::string>& more) {
    std::string all;
    for (const std::string& sentence : fitted(table, more).warnings) all += sentence + "\n";
    return all;
  };
  const std::string tight = warnings(table_within(-1, 1), {kCovariance, "privacy.epsilon=5"});
  EXPECT_NE(tight.find("of the values of v lie beyond its declared bounds"), std::string::npos) << tight;
  const std::string wide = warnings(table_within(-7, 7), {kCovariance, "privacy.epsilon=5"});
  EXPECT_EQ(wide.find("beyond its declared bounds"), std::string::npos) << wide;
  const std::string hidden = warnings(table_within(-1e9, 1e9), {kCovariance, "privacy.epsilon=0.001"});
  EXPECT_NE(hidden.find("Little but the prior is left of u, v"), std::string::npos) << hidden;
  const std::string held =
      warnings(table_within(-7, 7), {kCovariance, "privacy.epsilon=5", "prior.default.scale=0.1"});
  EXPECT_NE(held.find("The prior holds u back"), std::string::npos) << held;
}

/// A column of incomes, or of anything in such units.
Table incomes(double far) {
  Schema schema;
  schema.columns = {{.name = "income", .bounds = {0, 2'000'000}}};
  Table table(schema);
  ChainRng rng(3);
  for (int i = 0; i < 5000; ++i) {
    const double value = 52'000 + 15'000 * rng.normal() + (i % 8 == 0 ? far : 0);
    const std::string cell = std::to_string(value);
    table.append(std::vector<std::optional<std::string_view>>{cell}, std::nullopt);
  }
  return table;
}

RunRecord of_incomes(const Table& table, std::vector<std::string> more) {
  more.insert(more.begin(),
              {"data.file=x", "data.schema=x", "model.family=normal-mean", "model.columns=[\"income\"]",
               "privacy.epsilon=1", "privacy.delta=1e-6", "threads=2"});
  const FitConfig config = parse_fit_config("", more);
  TestEntropy entropy(29);
  return fit(config, make_problem(config, table), entropy);
}

// Nobody who has not said so believes that a column of money has a mean within a few units of zero.
TEST(LocationOnce, a_default_prior_is_on_the_scale_of_the_bounds) {
  const Table table = incomes(0);
  const RunRecord record = of_incomes(table, {"model.sd=[15000]"});
  EXPECT_EQ(record.priors.at(0).distribution,
            "normal(1e+06, 1e+06) on the mean of income, from its declared bounds");
  EXPECT_EQ(record.priors.at(0).sd, 1'000'000);
  EXPECT_EQ(record.manifest.configuration.at("prior").at("default"), "from declared bounds");
  for (const std::string& sentence : record.warnings)
    EXPECT_TRUE(sentence.starts_with("Note: ") ||
                sentence.find("as far out as the declared bounds allow") != std::string::npos)
        << sentence;
  double sum = 0;
  for (const Chain& chain : record.draws.chains) sum += chain.draws.mean();
  // 300: seven standard deviations of this answer.
  EXPECT_NEAR(sum / static_cast<double>(record.draws.chains.size()), 52'000, 2'000);
  ASSERT_EQ(record.sd_inflation.size(), 1u);
  EXPECT_LT(record.sd_inflation[0].second, 1.5);
  const RunRecord own =
      of_incomes(table, {"model.sd=[15000]", R"(prior.parameter={income={location=50000, scale=10}})"});
  EXPECT_EQ(own.priors.at(0).distribution, "normal(50000, 10) on the mean of income");
  EXPECT_THROW(
      of_incomes(table, {"model.sd=[15000]", R"(prior.parameter={wage={location=50000, scale=10}})"}), Error);
  EXPECT_THROW(of_incomes(table, {"model.sd=[15000]", "prior.default={family=\"laplace\"}"}), Error);
}

TEST(LocationOnce, says_that_rows_are_not_as_they_are_declared) {
  const auto said = [](const RunRecord& record) {
    std::string all;
    for (const std::string& sentence : record.warnings) all += sentence + "\n";
    return all;
  };
  const RunRecord one_in_eight = of_incomes(incomes(120'000), {"model.sd=[15000]"});
  const std::string far = said(one_in_eight);
  EXPECT_NE(far.find("of the rows lie farther from the mean than model.sd lets"), std::string::npos) << far;
  // An eighth and the model's own hundredth; the counts' noise is a hundredth as well.
  EXPECT_NEAR(one_in_eight.manifest.configuration.at("release_once").at("far_share").get<double>(), 0.134,
              0.04);
  const std::string narrow = said(of_incomes(incomes(0), {"model.sd=[7500]"}));
  EXPECT_NE(narrow.find("times what model.sd declares"), std::string::npos) << narrow;
  const std::string wide = said(of_incomes(incomes(0), {"model.sd=[30000]"}));
  EXPECT_NE(wide.find("Was it declared too large"), std::string::npos) << wide;
}

// One row in a hundred at the far end, which is as many as a model with a tenfold spread lets lie beyond its first edge, but nowhere so
// far: at a budget that tells, the mean is that of all rows, and it is said that it is of such.
TEST(LocationOnce, a_few_rows_very_far_out_are_seen_whatever_was_declared) {
  Schema schema;
  schema.columns = {{.name = "income", .bounds = {0, 2'000'000}}};
  ChainRng rng(3);
  Table table(schema);
  double sum = 0;
  for (int i = 0; i < 3000; ++i) {
    const double value = i % 100 == 0 ? 2'000'000 : 600'000 + 2'000 * rng.normal();
    sum += value;
    const std::string cell = fmt::format("{:.17g}", value);
    table.append(std::vector<std::optional<std::string_view>>{cell}, std::nullopt);
  }
  const double mean = sum / 3000;
  for (const auto& [sd, epsilon] : {std::pair("model.sd=[2000]", 300), std::pair("model.sd=[20000]", 300),
                                    std::pair("model.sd=[2000]", 3000)}) {
    const RunRecord record = of_incomes(table, {sd, fmt::format("privacy.epsilon={}.0", epsilon)});
    std::string all;
    for (const std::string& sentence : record.warnings) all += sentence + "\n";
    EXPECT_NE(all.find("of the rows lie farther from the mean than model.sd lets"), std::string::npos) << all;
    const ParameterSummary summary = summarise(record.draws).front();
    EXPECT_NEAR(summary.mean, mean, 5 * summary.sd) << sd;
  }
}

TEST(LocationOnce, stops_when_it_is_told_to) {
  const FitConfig config =
      parse_fit_config("", settings_with({kCovariance, "privacy.epsilon=1", "method.draws=5000"}));
  const Table table = table_within(-7, 7);
  TestEntropy entropy(3);
  const RunRecord record = fit(config, make_problem(config, table), entropy,
                               [](std::size_t done, std::size_t, double) { return done < 2000; });
  for (const Chain& chain : record.draws.chains) {
    EXPECT_EQ(chain.draws.rows(), 2000);
    EXPECT_EQ(chain.stop, StopReason::interrupted);
  }
}

TEST(LocationOnce, says_what_is_missing) {
  const auto why = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> all = {"data.file=x", "data.schema=x", "privacy.delta=1e-6",
                                    "privacy.epsilon=1"};
    all.insert(all.end(), settings.begin(), settings.end());
    try {
      static_cast<void>(columns_read(parse_fit_config("", all).model));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::string family = "model.family=normal-mean";
  EXPECT_EQ(why({family, "model.columns=[\"u\"]"}), "none");
  EXPECT_NE(why({family}).find("needs model.columns"), std::string::npos);
  EXPECT_NE(why({family, "model.formula=\"u ~ 1\""}).find("has no formula"), std::string::npos);
  EXPECT_NE(why({family, "model.columns=[\"u\", \"v\", \"u\"]"}).find("u twice"), std::string::npos);
  EXPECT_NE(why({family, "model.columns=[\"u\"]", "model.sigma=3"}).find("takes model.sd"),
            std::string::npos);
  EXPECT_NE(why({"model.family=normal", "model.formula=\"u ~ 1\"", "model.sd=[2]"}).find("for means"),
            std::string::npos);
}

TEST(LocationOnce, refuses_what_is_no_covariance) {
  const Table table = table_within(-7, 7);
  const auto why = [&](const std::vector<std::string>& more) {
    try {
      const FitConfig config = parse_fit_config("", settings_with(more));
      static_cast<void>(make_problem(config, table));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(why({"privacy.epsilon=1", kCovariance}), "none");
  EXPECT_NE(why({"privacy.epsilon=1"}).find("model.covariance"), std::string::npos);
  EXPECT_NE(why({"privacy.epsilon=1", kCovariance, "model.sd=[1, 1]"}).find("say the same"),
            std::string::npos);
  for (const char* wrong :
       {"[[1, 2], [2, 1]]", "[[1, 0.5], [0.4, 1]]", "[[1, 0], [0, -1]]", "[[1, 0], [0, nan]]"})
    EXPECT_NE(why({"privacy.epsilon=1", std::string("model.covariance=") + wrong}).find("positive definite"),
              std::string::npos)
        << wrong;
  for (const char* wrong : {"[[1, 0]]", "[[1], [1]]", "[[1, 0], [0, 1, 2]]"})
    EXPECT_NE(why({"privacy.epsilon=1", std::string("model.covariance=") + wrong}).find("a row and a column"),
              std::string::npos)
        << wrong;
  for (const char* wrong : {"2", "[1, 1]", "[[1, 0], [0, \"a\"]]"})
    EXPECT_NE(why({"privacy.epsilon=1", std::string("model.covariance=") + wrong}).find("list of rows"),
              std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace sotto
