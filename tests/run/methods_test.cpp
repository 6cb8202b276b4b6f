// Every method on a normal mean and on a banana, whose posteriors are known in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/method.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kRows = 1000;
constexpr double kBend = 0.5;
constexpr double kPriorSd = 2.5;
const Position kSd{{1, 1.5}};

const Table& table() {
  static const Table made = [] {
    Schema schema;
    schema.columns = {{.name = "u", .bounds = {-4, 4}}, {.name = "v", .bounds = {-6, 6}}};
    Table rows(schema);
    ChainRng rng(5);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::string u = std::to_string(0.5 + kSd[0] * rng.normal());
      const std::string v = std::to_string(1 + kSd[1] * rng.normal());
      const std::optional<std::string_view> cells[] = {u, v};
      rows.append(cells, std::nullopt);
    }
    return rows;
  }();
  return made;
}

/// Of the two coordinates of the position.
struct Exact {
  Position mean, sd;
};

Exact exact_posterior(bool bent) {
  Position mean(2);
  Position variance(2);
  for (Eigen::Index j = 0; j < 2; ++j) {
    double sum = 0;
    for (const double value : table().column(static_cast<std::size_t>(j))) sum += value;
    const double precision = 1 / (kSd[j] * kSd[j]);
    variance[j] = 1 / (static_cast<double>(kRows) * precision + 1 / (kPriorSd * kPriorSd));
    mean[j] = variance[j] * precision * sum;
  }
  if (bent) {  // the second coordinate is (mean of v) - bend * first^2
    const double m = mean[0];
    const double v = variance[0];
    mean[1] -= kBend * (m * m + v);
    variance[1] += kBend * kBend * (4 * m * m * v + 2 * v * v);
  }
  return {mean, variance.cwiseSqrt()};
}

RunRecord run(const std::string& method, bool bent, std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(),
                   {"data.file=x", "data.schema=x", "privacy.delta=1e-6", "model.columns=[\"u\", \"v\"]",
                    "model.sd=[1, 1.5]", bent ? "model.family=\"banana\"" : "model.family=\"normal-mean\"",
                    bent ? "model.a=0.5" : "model.a=0", "method.name=\"" + method + "\""});
  const FitConfig config = parse_fit_config("", overrides);
  TestEntropy entropy(23);
  return fit(config, make_problem(config, table()), entropy);
}

struct Case {
  const Method* method;
  bool bent;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.method->name << (c.bent ? ", banana" : ", normal");
}

/// Budgets at which every private method mixes well with its default numbers of draws.
std::vector<std::string> generous(const Method& method) {
  if (method.for_study) return {"privacy.not_private=true", "threads=1"};
  std::vector<std::string> settings = {"privacy.epsilon=3000", "threads=1"};
  // No budget makes its steps longer: rows' log ratios are bounded.
  if (method.name == "barker-subsampled") {
    settings.insert(settings.end(), {"method.warmup=6000", "method.thin=20"});
  }
  return settings;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Method& method : methods()) {
    all.push_back({&method, false});
    if (method.regime != QueryRegime::batches) all.push_back({&method, true});  // refused, below
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.method->name + (info.param.bent ? "_banana" : "_normal");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Chains without an acceptance test take the posterior to be as wide wherever it is.
TEST(Methods, chains_of_one_width_take_no_banana) {
  for (const Method& method : methods()) {
    if (method.regime != QueryRegime::batches) continue;
    try {
      (void)run(method.name, true, generous(method));
      ADD_FAILURE() << method.name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a banana is not"), std::string::npos) << error.what();
    }
  }
}

class EveryMethod : public testing::TestWithParam<Case> {};

// Means within five of the chains' own standard errors, plus a tenth of the posterior's sd where a method is approximate.
// Autocorrelations are estimated, so the errors have heavy tails: rate of false alarms below 1e-3 for each of two numbers,
// seeds fixed. The chains must have mixed for that to say much: an error below half an sd is asked for.
TEST_P(EveryMethod, finds_the_posterior_of_known_form) {
  const auto& [method, bent] = GetParam();
  const RunRecord record = run(method->name, bent, generous(*method));
  const Exact exact = exact_posterior(bent);
  const auto summary = summarise(record.draws);
  ASSERT_EQ(summary.size(), 2u);
  for (std::size_t j = 0; j < 2; ++j) {
    const double sd = exact.sd[static_cast<Eigen::Index>(j)];
    const double bias = record.privacy.approximations.empty() ? 0 : 0.1 * sd;
    EXPECT_NEAR(summary[j].mean, exact.mean[static_cast<Eigen::Index>(j)], 5 * summary[j].mcse_mean + bias);
    EXPECT_LT(summary[j].mcse_mean, 0.5 * sd);
    EXPECT_GT(summary[j].sd, 0.5 * sd);
    EXPECT_LT(summary[j].sd, 1.7 * sd);
  }
  const bool approximate = method->approximation != nullptr && !method->for_study;
  EXPECT_EQ(record.privacy.approximations.empty(), !approximate);
}

TEST_P(EveryMethod, spends_within_the_budget_and_draws_the_same_with_any_number_of_threads) {
  const auto& [method, bent] = GetParam();
  std::vector<std::string> settings = {"method.draws=12", "method.warmup=8", "method.chains=2"};
  settings.emplace_back(method->for_study ? "privacy.not_private=true" : "privacy.epsilon=2");
  // Steps of its own length would be refused: so few of them lead nowhere.
  if (method->name == "barker-subsampled") settings.emplace_back("method.step_size=0.01");
  std::vector<RunRecord> runs;
  for (const char* threads : {"threads=1", "threads=2", "threads=3"}) {
    settings.emplace_back(threads);
    runs.push_back(run(method->name, bent, settings));
    settings.pop_back();
  }
  for (const RunRecord& record : runs) {
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(record.draws.chains[c].draws, runs[0].draws.chains[c].draws);
      EXPECT_EQ(record.draws.chains[c].stop, StopReason::finished);
    }
  }
  const PrivacyStatement& privacy = runs[0].privacy;
  EXPECT_FALSE(privacy.is_private) << "noise that a test can repeat must not be called private";
  if (method->for_study) return;
  EXPECT_EQ(privacy.epsilon, 2);
  EXPECT_LE(privacy.spent_epsilon, 2);
  // Barker's proposals that cost too much are rejected unasked, about half of them.
  const bool unasked = method->name == "barker";
  EXPECT_GT(privacy.spent_epsilon, unasked ? 0.7 : 1.5);
  ASSERT_FALSE(privacy.releases.empty());
  std::size_t releases = 0;
  double rho = 0;
  for (const ReleaseLine& line : privacy.releases) {
    releases += line.count;
    rho += static_cast<double>(line.count) * line.rho;
  }
  const bool once = method->run == nullptr;
  EXPECT_GE(releases, once ? 1u : unasked ? 10u : 40u);
  // Six looks, a sum, and how far rows lie from each other.
  EXPECT_LE(releases, once ? 8u : 1'000'000u);
  // Lines are upper bounds.
  const bool prepaid = method->regime == QueryRegime::batches ||
                       method->regime == QueryRegime::batch_ratios ||
                       method->regime == QueryRegime::variance_completed_ratios;
  EXPECT_EQ(std::isnan(privacy.rho), prepaid);
  EXPECT_TRUE(prepaid || rho * (1 + 1e-12) >= privacy.rho);
  for (const CurvePoint& point : privacy.curve)
    EXPECT_LE(point.delta, point.epsilon < 2 ? 1 : 1e-6 * (1 + 1e-9));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(cases()), name_of);

// As every method does, above: by the same errors, and within the same budget.
TEST(Methods, trajectories_may_follow_gradients_of_batches) {
  for (const bool bent : {false, true}) {
    const RunRecord record = run("hmc", bent, {"privacy.epsilon=3000", "threads=1", "method.batch_rate=0.5"});
    const Exact exact = exact_posterior(bent);
    const auto summary = summarise(record.draws);
    for (std::size_t j = 0; j < 2; ++j) {
      const double sd = exact.sd[static_cast<Eigen::Index>(j)];
      EXPECT_NEAR(summary[j].mean, exact.mean[static_cast<Eigen::Index>(j)], 5 * summary[j].mcse_mean);
      EXPECT_LT(summary[j].mcse_mean, 0.5 * sd);
      EXPECT_GT(summary[j].sd, 0.5 * sd);
      EXPECT_LT(summary[j].sd, 1.7 * sd);
    }
  }
  const RunRecord record = run("hmc-friction", false,
                               {"method.draws=12", "method.warmup=8", "method.chains=2", "privacy.epsilon=2",
                                "method.batch_rate=0.3", "method.leapfrog_steps=3"});
  EXPECT_EQ(record.draws.chains[0].draws.rows(), 12);
  EXPECT_LE(record.privacy.spent_epsilon, 2);
  EXPECT_GT(record.privacy.spent_epsilon, 1.5);
  std::map<std::string, std::size_t> asked;
  for (const ReleaseLine& line : record.privacy.releases) asked[line.query] += line.count;
  EXPECT_EQ(asked["batch gradient"], 2U * 20 * 4);
  EXPECT_EQ(asked["log-likelihood ratio"], 2U * 20);
}

TEST(Methods, refusals_name_what_to_choose_instead) {
  const auto why = [](const std::string& method, const std::vector<std::string>& more) {
    try {
      static_cast<void>(run(method, false, more));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), method == "barker-subsampled" && more.size() == 1 ? ErrorCode::budget
                                                                                : ErrorCode::configuration);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(why("release-once", {"privacy.epsilon=1", "model.likelihood_power=0.5"}).find("likelihood_power"),
            std::string::npos);
  EXPECT_NE(why("penalty", {"privacy.epsilon=1", "method.clip_ratio=1"}).find("--not-private"),
            std::string::npos);
  EXPECT_NE(why("nonprivate-hmc", {"privacy.not_private=true", "method.clip_ratio=1"}).find("clip_gradient"),
            std::string::npos);
  EXPECT_NE(why("penalty-subsampled", {"privacy.epsilon=1", "method.batch=5000"}).find("method.batch"),
            std::string::npos);
  EXPECT_NE(why("barker-subsampled", {"privacy.epsilon=1", "method.batch=5000"}).find("method.batch"),
            std::string::npos);
  EXPECT_NE(why("barker-subsampled", {"privacy.epsilon=1", "method.noise_variance=1"}).find("noise_variance"),
            std::string::npos);
  EXPECT_NE(why("barker-subsampled", {"privacy.epsilon=1e6"}).find("choose penalty"), std::string::npos);
  EXPECT_NE(why("hmc", {"privacy.epsilon=1", "method.batch_rate=0"}).find("batch_rate"), std::string::npos);
  EXPECT_NE(why("hmc", {"privacy.epsilon=1", "method.batch_rate=0.5", "method.adapt_length=true"})
                .find("adapt_length"),
            std::string::npos);
  for (const char* variance : {"3", "0", "-1", "nan", "inf"}) {
    EXPECT_THROW(
        (void)parse_fit_config("", {"data.schema=x", "model.formula=\"y ~ x\"", "privacy.epsilon=1",
                                    "privacy.delta=1e-6", std::string("method.noise_variance=") + variance}),
        Error)
        << variance;
  }
  EXPECT_NE(why("sgld", {"privacy.epsilon=1", "method.rate=0"}).find("method.rate"), std::string::npos);
}

}  // namespace
}  // namespace sotto
