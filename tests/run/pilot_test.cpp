// Chains that begin with a look at the rows: where they start, how wide they take the posterior to be, and that they end.
#include "sotto/run/pilot.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/method.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

enum class Responses { binary, real };

/// Rows of y and of x within [-1, 1], normal with standard deviation 0.3: log odds, or mean, 0.5 + 2 x.
Table table(Responses responses, std::size_t rows, Adjacency adjacency) {
  const bool binary = responses == Responses::binary;
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "y",
                     .kind = binary ? ColumnKind::binary : ColumnKind::real,
                     .bounds = {binary ? 0.0 : -10.0, binary ? 1.0 : 10.0}},
                    {.name = "x", .bounds = {-1, 1}}};
  Table made(schema);
  ChainRng rng(8);
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = std::clamp(0.3 * rng.normal(), -1.0, 1.0);
    const double eta = 0.5 + 2 * x;
    const double y = binary ? (rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0) : eta + rng.normal();
    const std::string cells[] = {fmt::format("{}", y), fmt::format("{}", x)};
    const std::optional<std::string_view> views[] = {cells[0], cells[1]};
    made.append(views, std::nullopt);
  }
  return made;
}

FitConfig config_of(Responses responses, const std::string& method, double epsilon,
                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = {"data.file=x",
                                       "data.schema=x",
                                       "model.formula=\"y ~ x\"",
                                       "privacy.delta=1e-6",
                                       "threads=1",
                                       fmt::format("privacy.epsilon={:.1f}", epsilon),
                                       "method.name=\"" + method + "\""};
  settings.emplace_back(responses == Responses::binary ? "model.family=\"bernoulli\""
                                                       : "model.family=\"normal\"");
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_fit_config("", settings);
}

/// Posterior under a flat prior, of intercept and slope; for real responses given their sd.
struct ExactNormal {
  Position mean = Position::Zero(2);
  Matrix covariance;
};

ExactNormal exact(const Table& data, Responses responses) {
  const auto y = data.column(0);
  const auto x = data.column(1);
  ExactNormal found;
  for (int newton = 0; newton < 20; ++newton) {
    Position slope = Position::Zero(2);
    Matrix information = Matrix::Zero(2, 2);
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const Position z{{1, x[i]}};
      const double eta = z.dot(found.mean);
      const double mean = responses == Responses::binary ? 1 / (1 + std::exp(-eta)) : eta;
      slope += (y[i] - mean) * z;
      information += (responses == Responses::binary ? mean * (1 - mean) : 1) * z * z.transpose();
    }
    found.covariance = information.inverse();
    found.mean += found.covariance * slope;
  }
  return found;
}

// The budget hides nothing: the centre is off by the spread of 200 draws, 0.07 standard deviations, and by what clips and
// weights take away.
TEST(Pilot, finds_where_the_posterior_lies_and_how_wide_it_is) {
  for (const Responses responses : {Responses::binary, Responses::real}) {
    const Table data = table(responses, 5000, Adjacency::add_remove);
    const FitConfig config = config_of(responses, "hmc", 1e4);
    const Problem problem = make_problem(config, data);
    ASSERT_TRUE(can_look(config, problem));
    Budget budget(Epsilon(1e4), Delta(1e-6));
    TestEntropy entropy(2);
    const RunPlan plan = make_run_plan(QueryRegime::rows, config, problem, 100, budget, entropy, true);
    const double before = budget.left().value();
    EXPECT_NEAR(plan.look_cost.value() + 100 * plan.step_budget.step_cost.value(), before, 1e-5 * before);
    const Pilot pilot = look(config, problem, *plan.interface, plan.look_cost);
    EXPECT_LE(before - budget.left().value(), plan.look_cost.value() * (1 + 1e-9));
    EXPECT_EQ(pilot.starts.size(), 4u);
    EXPECT_FALSE(pilot.noise_dominates);
    const ExactNormal truth = exact(data, responses);
    for (Eigen::Index j = 0; j < 2; ++j) {
      const double sd = std::sqrt(truth.covariance(j, j));
      EXPECT_NEAR(pilot.at[j], truth.mean[j], 0.5 * sd);
      EXPECT_NEAR(std::sqrt(pilot.covariance(j, j)) / sd, 1, 0.1);
    }
    if (responses == Responses::real) {
      EXPECT_NEAR(std::exp(pilot.at[2]), 1, 0.25) << "release-once allows for tails";
      EXPECT_NEAR(std::sqrt(pilot.covariance(2, 2)) * std::sqrt(2 * 5000.0), 1, 0.05);
    }
  }
}

// Between releases and while it draws; what was released by then is paid for, and no more.
TEST(Pilot, a_look_ends_when_it_is_asked_to) {
  const Table data = table(Responses::binary, 500, Adjacency::add_remove);
  const FitConfig config = config_of(Responses::binary, "hmc", 100);
  const Problem problem = make_problem(config, data);
  const auto asked_until = [&](int last) {
    Budget budget(Epsilon(100), Delta(1e-6));
    TestEntropy entropy(2);
    const RunPlan plan = make_run_plan(QueryRegime::rows, config, problem, 100, budget, entropy, true);
    const double before = budget.left().value();
    int asked = 0;
    const auto go_on = [&] { return ++asked < last; };
    if (last == std::numeric_limits<int>::max()) {
      static_cast<void>(look(config, problem, *plan.interface, plan.look_cost, go_on));
    } else {
      try {
        static_cast<void>(look(config, problem, *plan.interface, plan.look_cost, go_on));
        ADD_FAILURE() << last;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::interrupted) << last;
      }
    }
    EXPECT_LE(before - budget.left().value(), plan.look_cost.value() * (1 + 1e-9));
    if (last == 1) {
      EXPECT_EQ(before, budget.left().value());
    }
    return asked;
  };
  const int whole = asked_until(std::numeric_limits<int>::max());
  ASSERT_GT(whole, 10);
  for (const int last : {1, 3, whole / 2, whole}) asked_until(last);
}

// However many rows there are, which nobody is told: with a thousand taken for granted the chain would be 1.5 times as wide. The
// sd of 1,200 draws with autocorrelation time 20 has a standard error of 9 %; bands of four.
TEST(Pilot, langevin_chains_are_as_wide_as_the_posterior_of_an_unknown_number_of_rows) {
  const Table data = table(Responses::binary, 20000, Adjacency::add_remove);
  const ExactNormal truth = exact(data, Responses::binary);
  for (const char* method : {"sgld"}) {
    const FitConfig config =
        config_of(Responses::binary, method, 1e3, {"method.warmup=100", "method.draws=300"});
    TestEntropy entropy(4);
    const RunRecord record = fit(config, make_problem(config, data), entropy);
    const auto summary = summarise(record.draws);
    for (std::size_t j = 0; j < 2; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      const double sd = std::sqrt(truth.covariance(k, k));
      EXPECT_NEAR(summary[j].sd / sd, 1, 0.35) << method;
      EXPECT_NEAR(summary[j].mean, truth.mean[k], sd) << method;
    }
    EXPECT_LE(record.privacy.spent_epsilon, 1e3);
  }
}

// What a long step leaves is allowed for at any rate: without, steps of 2 at rate 1 made posteriors 1.4 times as wide. Draws are next to
// independent, 2,000 in all: an sd has a standard error of 1.6 %, and the band is six of them.
TEST(Pilot, long_steps_of_sgld_widen_nothing_at_any_rate) {
  const Table data = table(Responses::binary, 2000, Adjacency::substitute);
  const ExactNormal truth = exact(data, Responses::binary);
  for (const char* rate : {"method.rate=1", "method.rate=0.9"}) {
    const FitConfig config = config_of(Responses::binary, "sgld", 1e5,
                                       {rate, "method.step_size=2", "method.warmup=50", "method.draws=500"});
    TestEntropy entropy(4);
    const RunRecord record = fit(config, make_problem(config, data), entropy);
    const auto summary = summarise(record.draws);
    for (std::size_t j = 0; j < 2; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      EXPECT_NEAR(summary[j].sd / std::sqrt(truth.covariance(k, k)), 1, 0.1) << rate;
    }
  }
}

// Responses within a twentieth of their declared range: the guess from that range is ten times too wide.
TEST(Pilot, langevin_chains_find_an_unknown_sigma) {
  const Table data = table(Responses::real, 2000, Adjacency::substitute);
  for (const char* method : {"sgnht"}) {
    const FitConfig config =
        config_of(Responses::real, method, 1e4, {"method.warmup=200", "method.draws=600"});
    TestEntropy entropy(4);
    const RunRecord record = fit(config, make_problem(config, data), entropy);
    const auto summary = summarise(record.draws);
    EXPECT_EQ(summary[2].parameter, "sigma");
    EXPECT_NEAR(summary[2].mean, 1, 0.08) << method;
    EXPECT_NEAR(summary[2].sd * std::sqrt(2 * 2000.0), 1, 0.3) << method;
  }
}

constexpr std::size_t kRowsOfMeans = 4000;
constexpr double kBananaBend = 20;

/// Rows of two columns, u about 0.3, and v about 1, or for a banana about 1 + 20 u², within [-50, 50], with standard deviations 1 and 1.5
/// and correlation 0.6.
Table two_means(Adjacency adjacency, double bend = 0) {
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "u", .bounds = {-50, 50}}, {.name = "v", .bounds = {-50, 50}}};
  Table made(schema);
  ChainRng rng(21);
  for (std::size_t i = 0; i < kRowsOfMeans; ++i) {
    const double z = rng.normal();
    const std::string cells[] = {fmt::format("{}", 0.3 + z),
                                 fmt::format("{}", 1 + bend * 0.09 + 1.5 * (0.6 * z + 0.8 * rng.normal()))};
    const std::optional<std::string_view> views[] = {cells[0], cells[1]};
    made.append(views, std::nullopt);
  }
  return made;
}

FitConfig means_config(const std::string& family, const std::string& method, double epsilon,
                       std::vector<std::string> more = {}) {
  more.insert(more.end(), {"data.file=x", "data.schema=x", "model.columns=[\"u\", \"v\"]",
                           "model.covariance=[[1, 0.9], [0.9, 2.25]]", "privacy.delta=1e-6", "threads=1",
                           fmt::format("privacy.epsilon={:.1f}", epsilon), "model.family=\"" + family + "\"",
                           "method.name=\"" + method + "\""});
  if (family == "banana") more.push_back(fmt::format("model.a={:.1f}", kBananaBend));
  return parse_fit_config("", more);
}

Position mean_of_columns(const Table& data) {
  Position mean(2);
  for (Eigen::Index j = 0; j < 2; ++j) {
    const auto column = data.column(static_cast<std::size_t>(j));
    mean[j] = std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(data.rows());
  }
  return mean;
}

struct Looked {
  Pilot pilot;
  double cost, spent;  ///< rho that was kept for it, and that it took
};

Looked looked_at(const Table& data, const FitConfig& config) {
  const Problem problem = make_problem(config, data);
  EXPECT_TRUE(can_look(config, problem));
  Budget budget(Epsilon(*config.epsilon), Delta(*config.delta));
  TestEntropy entropy(2);
  const RunPlan plan = make_run_plan(QueryRegime::rows, config, problem, 100, budget, entropy, true);
  const double before = budget.left().value();
  Pilot pilot = look(config, problem, *plan.interface, plan.look_cost);
  return {std::move(pilot), plan.look_cost.value(), before - budget.left().value()};
}

// A tenth of a budget that hides nothing: the centre of 4,000 draws is known to .02 standard deviations, a variance to 2 %.
TEST(Pilot, of_a_normal_mean_finds_where_it_is_and_how_its_columns_go_together) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const Table data = two_means(adjacency);
    const auto [pilot, cost, spent] = looked_at(data, means_config("normal-mean", "penalty", 1e4));
    EXPECT_LE(spent, cost * (1 + 1e-9));
    EXPECT_GT(spent, cost * 0.99);
    EXPECT_EQ(pilot.starts.size(), 4u);
    EXPECT_FALSE(pilot.noise_dominates);
    EXPECT_NEAR(pilot.rows, kRowsOfMeans, 1);
    const Position mean = mean_of_columns(data);
    const Matrix covariance = Matrix{{1, 0.9}, {0.9, 2.25}} / static_cast<double>(kRowsOfMeans);
    for (Eigen::Index j = 0; j < 2; ++j) {
      EXPECT_NEAR(pilot.at[j], mean[j], 0.3 * std::sqrt(covariance(j, j)));
      for (Eigen::Index k = 0; k < 2; ++k)
        EXPECT_NEAR(pilot.covariance(j, k), covariance(j, k), 0.1 * covariance(j, j)) << j << k;
    }
  }
}

// v = mean - 20 u², so that near u the position's coordinates have covariance .9 - 2 * 20 u: far from what rows have.
TEST(Pilot, of_a_banana_follows_its_bend) {
  const Table data = two_means(Adjacency::substitute, kBananaBend);
  const Pilot pilot = looked_at(data, means_config("banana", "penalty", 1e4)).pilot;
  const Position mean = mean_of_columns(data);
  const double slope = -2 * kBananaBend * mean[0];
  EXPECT_NEAR(pilot.at[1], mean[1] - kBananaBend * mean[0] * mean[0], 0.1);
  EXPECT_NEAR(pilot.covariance(0, 1) * kRowsOfMeans, 0.9 + slope, 0.1 * std::abs(slope));
  EXPECT_NEAR(pilot.covariance(1, 1) * kRowsOfMeans, 2.25 + 2 * 0.9 * slope + slope * slope,
              0.1 * slope * slope);
}

struct FittedMeans {
  std::vector<ParameterSummary> summary;
  Position mean;  ///< of the rows
  double spent;
};

FittedMeans fitted_means(const std::string& method, double epsilon, std::vector<std::string> more) {
  const Table data = two_means(Adjacency::add_remove);
  const FitConfig config = means_config("normal-mean", method, epsilon, std::move(more));
  TestEntropy entropy(4);
  const RunRecord record = fit(config, make_problem(config, data), entropy);
  return {summarise(record.draws), mean_of_columns(data), record.privacy.spent_epsilon};
}

/// Of the posterior without noise.
constexpr double kSdsOfMeans[] = {1 / 63.2456, 1.5 / 63.2456};

// The middle of the bounds is 19 posterior standard deviations away. What a chain and its look are off by is a fraction of one; the
// bound of 1.5 is passed by one in a million.
TEST(Pilot, chains_of_a_normal_mean_begin_where_it_is) {
  const FittedMeans fitted = fitted_means("guided-walk", 20, {"method.draws=300", "method.chains=2"});
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_NEAR(fitted.summary[j].mean, fitted.mean[static_cast<Eigen::Index>(j)], 1.5 * kSdsOfMeans[j]) << j;
  EXPECT_LE(fitted.spent, 20);
}

// However many rows there are, which nobody is told. Bands as above.
TEST(Pilot, langevin_chains_are_as_wide_as_a_normal_means_posterior) {
  const FittedMeans fitted = fitted_means("sgld", 1e4, {"method.warmup=100", "method.draws=300"});
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(fitted.summary[j].sd / kSdsOfMeans[j], 1, 0.35) << j;
}

TEST(Pilot, langevin_chains_refuse_what_nothing_tells_the_width_of) {
  const Table data = table(Responses::real, 50, Adjacency::add_remove);
  const auto why = [&](const std::vector<std::string>& more) {
    FitConfig config = config_of(Responses::binary, "sgld", 1, more);
    bool booked = false;
    TestEntropy entropy(4);
    try {
      static_cast<void>(
          fit(config, make_problem(config, data), entropy, {}, [&](const Booking&) { booked = true; }));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      EXPECT_FALSE(booked);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(why({"model.formula=\"\"", "model.family=\"normal-mean\"", "model.columns=[\"y\"]",
                 "model.sd=[1]", "model.likelihood_power=0.5"})
                .find("number of rows"),
            std::string::npos);
  EXPECT_NE(why({"model.family=\"normal\"", "model.likelihood_power=0.5"}).find("how wide"),
            std::string::npos);
}

// At every budget: a step's price is known before it is asked for, wherever the chain is.
TEST(Pilot, barker_ends_with_the_draws_that_were_asked_for) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const Table data = table(Responses::binary, 500, adjacency);
    for (const double epsilon : {1.0, 30.0, 300.0}) {
      const FitConfig config = config_of(Responses::binary, "barker", epsilon);
      TestEntropy entropy(4);
      const RunRecord record = fit(config, make_problem(config, data), entropy);
      for (const Chain& chain : record.draws.chains) {
        EXPECT_EQ(chain.stop, StopReason::finished) << epsilon;
        EXPECT_EQ(chain.draws.rows(), 1000);
      }
      EXPECT_LE(record.privacy.spent_epsilon, epsilon);
      EXPECT_GT(record.privacy.spent_epsilon, 0.5 * epsilon) << "a budget left over is lost";
    }
  }
}

TEST(Pilot, barker_subsampled_refuses_steps_that_never_arrive_before_anything_is_spent) {
  const Table data = table(Responses::binary, 500, Adjacency::substitute);
  const FitConfig config = config_of(Responses::binary, "barker-subsampled", 10);
  bool booked = false;
  TestEntropy entropy(4);
  try {
    static_cast<void>(
        fit(config, make_problem(config, data), entropy, {}, [&](const Booking&) { booked = true; }));
    FAIL() << "its steps are a fiftieth of the posterior's width";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::budget);
    EXPECT_NE(std::string(error.what()).find("choose penalty"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("nothing was spent"), std::string::npos);
  }
  EXPECT_FALSE(booked);
}

}  // namespace
}  // namespace sotto
