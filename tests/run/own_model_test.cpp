// A model of one's own takes every path of the built-in ones, and what cannot be is refused in a sentence.
#include "sotto/run/own_model.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/model/per_array.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/method_choice.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kOwnRows = 500;
const Interval kBounds{-4, 4};
const CoefficientPrior kPrior{.scale = 3};

double value(std::size_t row, std::size_t column) {
  ChainRng rng(3, row);
  const Position z = rng.normals(2);
  return 0.5 + z[static_cast<Eigen::Index>(column)];
}

Rows rows() {
  Rows made(kOwnRows, 2);
  for (std::size_t i = 0; i < kOwnRows; ++i) {
    for (std::size_t j = 0; j < 2; ++j) made.at(i, j) = value(i, j);
    made.weight(i) = 1;
  }
  return made;
}

/// The same rows for the built-in model.
const Table& own_table() {
  static const Table made = [] {
    Schema schema;
    schema.columns = {{.name = "u", .bounds = kBounds}, {.name = "v", .bounds = kBounds}};
    Table read(schema);
    for (std::size_t i = 0; i < kOwnRows; ++i) {
      const std::string u = fmt::format("{:.17g}", value(i, 0));
      const std::string v = fmt::format("{:.17g}", value(i, 1));
      const std::optional<std::string_view> cells[] = {u, v};
      read.append(cells, std::nullopt);
    }
    return read;
  }();
  return made;
}

/// Of rows (u, v) in [-4, 4]^2: normal with unknown mean and standard deviation 1, written one row at a time.
struct NormalMean {
  [[nodiscard]] Eigen::Index dim() const { return 2; }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    const double reach = std::max(from.lpNorm<Eigen::Infinity>(), to.lpNorm<Eigen::Infinity>()) + 4;
    const double most = reach * (to - from).lpNorm<1>();
    return {-most, most};
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    const double norm = (at.lpNorm<Eigen::Infinity>() + 4) * scale.norm();
    return {norm, 2 * norm};
  }
  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    return -(Eigen::Map<const Eigen::Vector2d>(row.data()) - at).squaredNorm() / 2;
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    out = Eigen::Map<const Eigen::Vector2d>(row.data()) - at;
  }
};

OwnModel own_mean(AnyModel model) {
  return {.title = "own mean",
          .model = std::move(model),
          .rows = rows,
          .parameters = {"u", "v"},
          .priors = {kPrior, kPrior},
          .expected_rows = kOwnRows};
}

const Method& method_of(const std::string& name) {
  return *std::find_if(methods().begin(), methods().end(), [&](const Method& m) { return m.name == name; });
}

FitConfig config_of(const Method& method) {
  FitConfig config;
  config.epsilon = 3;
  config.delta = 1e-6;
  config.not_private = method.for_study;
  config.threads = 1;
  config.method.name = method.name;
  config.method.chains = 2;
  config.method.warmup = config.method.draws = 15;
  // Of its own steps so few are refused.
  if (method.name == "barker-subsampled") config.method.step_size = 0.01;
  return config;
}

std::vector<std::string> chain_methods() {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    if (method.run != nullptr) names.push_back(method.name);
  }
  return names;
}

std::string method_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class OwnModels : public testing::TestWithParam<std::string> {};

// Same model, rows, prior and start: same draws, charges and statement, whoever made the problem. Of a likelihood to a power, as chains
// on a built-in normal mean begin with a look otherwise.
TEST_P(OwnModels, fit_as_built_in_ones_do) {
  const Method& method = method_of(GetParam());
  FitConfig config = config_of(method);
  config.model.likelihood_power = 0.5;
  FitConfig built_in = config;
  built_in.model.family = "normal-mean";
  built_in.model.columns = {"u", "v"};
  built_in.model.sd = {1, 1};
  built_in.default_prior = kPrior;
  built_in.default_prior_given = true;
  const Problem from_table = make_problem(built_in, own_table());
  OwnModel own = own_mean(LocationModel({kBounds, kBounds}, Matrix::Identity(2, 2)));
  own.posterior_scale = from_table.public_info.prior_scale;
  TestEntropy noise(7);
  const RunRecord expected = fit(built_in, from_table, noise);
  TestEntropy same_noise(7);
  const RunRecord record = fit(config, own_problem(config, own), same_noise);
  ASSERT_EQ(record.draws.chains.size(), 2u);
  // The built-in model's width is known, an own one's is only a guess: Langevin steps differ.
  if (method.regime != QueryRegime::batches) {
    for (std::size_t c = 0; c < 2; ++c)
      EXPECT_EQ(record.draws.chains[c].draws, expected.draws.chains[c].draws);
  }
  EXPECT_EQ(record.draws.parameters, expected.draws.parameters);
  EXPECT_EQ(record.privacy.spent_epsilon, expected.privacy.spent_epsilon);
  EXPECT_EQ(record.privacy.releases.size(), expected.privacy.releases.size());
  EXPECT_EQ(record.privacy.privacy_unit, method.for_study ? "none" : "one row");
}

// Written one row at a time it needs no more than the front, and clipping and statistics are all that it lacks.
TEST_P(OwnModels, written_row_by_row_run) {
  const Method& method = method_of(GetParam());
  const FitConfig config = config_of(method);
  const Problem problem = own_problem(config, own_mean(PerRow(NormalMean{})));
  TestEntropy noise(7);
  if (method.regime == QueryRegime::statistics) {
    EXPECT_THROW(static_cast<void>(fit(config, problem, noise)), Error);
    return;
  }
  const RunRecord record = fit(config, problem, noise);
  EXPECT_EQ(record.draws.chains[1].draws.rows(), 15);
  EXPECT_TRUE(record.draws.chains[1].draws.allFinite());
  EXPECT_TRUE(method.for_study || record.privacy.spent_epsilon <= 3);
}

INSTANTIATE_TEST_SUITE_P(Methods, OwnModels, testing::ValuesIn(chain_methods()), method_name);

std::string why(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(OwnModel, auto_is_the_guided_walk_and_release_once_is_refused) {
  FitConfig config = config_of(method_of("release-once"));
  const Problem problem = own_problem(config, own_mean(PerRow(NormalMean{})));
  TestEntropy noise(7);
  EXPECT_EQ(why([&] { static_cast<void>(fit(config, problem, noise)); }),
            "release-once is for regressions, normal means and categories: choose penalty or hmc");
  config.method.name = "auto";
  EXPECT_EQ(resolve_method(config, problem).name, "guided-walk");
  config.epsilon.reset();
  EXPECT_NE(why([&] { static_cast<void>(fit(config, problem, noise)); }).find("privacy.epsilon"),
            std::string::npos);
}

TEST(OwnModel, is_what_the_manifest_says) {
  const FitConfig config = config_of(method_of("penalty"));
  OwnModel own = own_mean(PerRow(NormalMean{}));
  own.unit = {Adjacency::add_remove, 3};
  own.to_report = [](const Position& x) -> Position { return x.array().exp(); };
  const Problem problem = own_problem(config, own);
  TestEntropy noise(7);
  const RunRecord record = fit(config, problem, noise);
  const auto& said = record.manifest.configuration;
  EXPECT_EQ(said.at("model").at("family"), "own");
  EXPECT_EQ(said.at("model").at("parameters"), own.parameters);
  EXPECT_EQ(said.at("prior").at("v"), "normal(0, 3) before to_report");
  EXPECT_EQ(record.title, "own mean");
  EXPECT_EQ(record.privacy.adjacency, Adjacency::add_remove);
  EXPECT_EQ(record.privacy.privacy_unit, "one person (at most 3 rows)");
  EXPECT_GT(record.draws.chains[0].draws.minCoeff(), 0) << "reported as to_report says";
  ASSERT_EQ(record.priors.size(), 2u);
  EXPECT_NEAR(record.priors[0].q50, 1, 0.1) << "the prior of what is reported";
}

// The noise on the same question, for a person with one row and for one with three.
TEST(OwnModel, pays_for_all_rows_of_a_person) {
  const auto widest = [](std::size_t rows_per_unit) {
    const FitConfig config = config_of(method_of("penalty"));
    OwnModel own = own_mean(PerRow(NormalMean{}));
    own.unit.rows_per_unit = rows_per_unit;
    const Problem problem = own_problem(config, own);
    EXPECT_EQ(problem.unit.rows_per_unit, rows_per_unit);
    return problem.public_info.ratio_sensitivity(Position::Zero(2), Position::Constant(2, 0.125));
  };
  EXPECT_NEAR(widest(3), 3 * widest(1), 1e-6 * widest(3));
}

TEST(OwnModel, starts_at_zero_with_a_scale_from_its_bounds) {
  const FitConfig config = config_of(method_of("penalty"));
  const PublicProblem built = own_problem(config, own_mean(PerRow(NormalMean{}))).public_info;
  EXPECT_EQ(built.start, Position::Zero(2));
  EXPECT_DOUBLE_EQ(built.prior_scale[1], 1 / std::sqrt(500 * 16 + 1.0 / 9));
  EXPECT_FALSE(built.rows) << "what was guessed is no count";
  OwnModel fewer = own_mean(PerRow(NormalMean{}));
  fewer.rows = [] { return Rows(3, 2); };
  EXPECT_EQ(own_problem(config, fewer).public_info.prior_scale, built.prior_scale) << "rows are not counted";
  OwnModel own = own_mean(PerRow(NormalMean{}));
  own.priors.clear();
  own.log_prior = LogPrior{[](const Position& x) { return -x.squaredNorm(); },
                           [](const Position& x) -> Position { return -2 * x; }};
  own.start = Position{{1, 2}};
  own.posterior_scale = Position{{0.1, 0.2}};
  const PublicProblem stated = own_problem(config, own).public_info;
  EXPECT_EQ(stated.start, *own.start);
  EXPECT_EQ(stated.prior_scale, *own.posterior_scale);
  EXPECT_EQ(stated.prior.log_density(Position{{1, 2}}), -5);
}

/// NormalMean by arrays.
struct NormalMeanByArray : NormalMean {
  [[nodiscard]] bool log_densities(const Matrix& rows, const Position& at, Position& out) const {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) out[i] = -(rows.row(i).transpose() - at).squaredNorm() / 2;
    return true;
  }
  [[nodiscard]] bool gradients(const Matrix& rows, const Position& at, Matrix& out) const {
    out = rows.transpose().colwise() - at;
    return true;
  }
};

// Rows, unit and their number are the table's; written by arrays it has the draws that it has row by row.
TEST(OwnModel, of_a_table_is_fitted_as_one_that_brings_its_rows) {
  FitConfig config = config_of(method_of("guided-walk"));
  OwnModel of_table = own_mean(PerArray(NormalMeanByArray{}, Position::Constant(2, -4), {}));
  of_table.rows = nullptr;
  of_table.expected_rows = 7;
  const Problem problem = own_problem(config, own_table(), {"u", "v"}, of_table);
  EXPECT_EQ(problem.public_info.rows, kOwnRows);
  EXPECT_EQ(problem.public_info.privacy_unit, "one row");
  TestEntropy noise(7);
  TestEntropy same_noise(7);
  const RunRecord record = fit(config, problem, noise);
  const RunRecord expected = fit(config, own_problem(config, own_mean(PerRow(NormalMean{}))), same_noise);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(record.draws.chains[c].draws, expected.draws.chains[c].draws);
  EXPECT_NE(record.privacy.trust_model.find("wrote the model"), std::string::npos);
  config.owners = {"a.csv", "b.csv"};
  EXPECT_NE(why([&] {
              static_cast<void>(own_problem(config, own_table(), {"u", "v"}, of_table));
            }).find("drop [[owner]]"),
            std::string::npos);
}

TEST(OwnModel, of_a_table_protects_what_its_schema_says) {
  const FitConfig config = config_of(method_of("penalty"));
  Schema schema;
  schema.columns = {{.name = "u", .bounds = kBounds}, {.name = "v", .bounds = kBounds}};
  schema.unit = {.person = "id", .maximum_rows = 3};
  schema.adjacency = Adjacency::add_remove;
  const Table none(schema);
  const Problem problem = own_problem(config, none, {"v", "u"}, own_mean(PerRow(NormalMean{})));
  EXPECT_EQ(problem.unit.adjacency, Adjacency::add_remove);
  EXPECT_EQ(problem.unit.rows_per_unit, 3u);
  EXPECT_FALSE(problem.unit.is_row);
  EXPECT_FALSE(problem.public_info.rows) << "their number is a secret";
  schema.adjacency = Adjacency::substitute;
  EXPECT_THROW(static_cast<void>(own_problem(config, Table(schema), {"u"}, own_mean(PerRow(NormalMean{})))),
               Error)
      << "no rows";
}

TEST(OwnModel, is_refused_when_it_does_not_fit_together) {
  const std::vector<std::pair<std::function<void(FitConfig&, OwnModel&)>, std::string>> cases = {
      {[](FitConfig&, OwnModel& own) { own.rows = nullptr; }, "no rows"},
      {[](FitConfig&, OwnModel& own) { own.parameters.pop_back(); }, "1 names"},
      {[](FitConfig&, OwnModel& own) { own.priors.pop_back(); }, "1 priors"},
      {[](FitConfig&, OwnModel& own) { own.priors.clear(); }, "priors or log_prior"},
      {[](FitConfig&, OwnModel& own) { own.log_prior.emplace(); }, "priors or log_prior"},
      {[](FitConfig&, OwnModel& own) { own.priors[0].scale = 0; }, "scale"},
      {[](FitConfig&, OwnModel& own) { own.priors[0].family = PriorFamily::flat; }, "allow_flat"},
      {[](FitConfig&, OwnModel& own) { own.start = Position::Zero(3); }, "start"},
      {[](FitConfig&, OwnModel& own) { own.posterior_scale = Position::Zero(2); }, "posterior_scale"},
      {[](FitConfig&, OwnModel& own) { own.expected_rows = 0; }, "expected_rows"},
      {[](FitConfig&, OwnModel& own) { own.unit.rows_per_unit = 0; }, "at least one row"},
      {[](FitConfig&, OwnModel& own) {
         own.to_report = [](const Position& x) -> Position { return x.head(1); };
       },
       "to_report"},
      {[](FitConfig& config, OwnModel&) { config.priors["u"] = kPrior; }, "prior"},
      {[](FitConfig& config, OwnModel&) { config.model.formula = "y ~ x"; }, "formula"}};
  for (const auto& [spoil, word] : cases) {
    FitConfig config = config_of(method_of("penalty"));
    OwnModel own = own_mean(PerRow(NormalMean{}));
    spoil(config, own);
    EXPECT_NE(why([&] { static_cast<void>(own_problem(config, own)); }).find(word), std::string::npos)
        << word;
  }
}

}  // namespace
}  // namespace sotto
