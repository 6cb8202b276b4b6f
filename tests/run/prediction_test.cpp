#include "sotto/run/prediction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/model/design_rows.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/run/regression.hpp"
#include "sotto/run/regression_problem.hpp"

namespace sotto {
namespace predicted_rows {
namespace {

using testing::HasSubstr;

const Schema kTable{{{"y", ColumnKind::binary},
                     {"n", ColumnKind::count, {0, 9}, {}},
                     {"t", ColumnKind::real, {0, 60}, {}},
                     {"o", ColumnKind::category, {}, {"low", "middle", "high"}},
                     {"x", ColumnKind::real, {-1, 3}, {}},
                     {"z", ColumnKind::real, {1, 10}, {}},
                     {"g", ColumnKind::category, {}, {"a", "b", "c"}}},
                    {"who", 2}};

FittedRegression fitted_of(const std::string& family, const std::string& formula,
                           const std::vector<std::string>& parameters, const Matrix& draws,
                           const std::vector<double>& cuts = {}) {
  FittedRegression fitted;
  fitted.model.family = family;
  fitted.model.formula = formula;
  fitted.model.cuts = cuts;
  fitted.schema = kTable.select(columns_read(fitted.model));
  fitted.draws.parameters = parameters;
  fitted.draws.chains.resize(1);
  fitted.draws.chains[0].draws = draws;
  return fitted;
}

/// `cells`: of the predictors, in the order of `predictors_of`.
Table new_rows_of(const FittedRegression& fitted, const std::vector<std::vector<std::string>>& rows) {
  Table table(schema_of_new_rows(fitted));
  for (const auto& row : rows) {
    std::vector<std::optional<std::string_view>> cells(table.schema().columns.size());
    const std::vector<std::string> names = predictors_of(fitted);
    for (std::size_t j = 0; j < names.size(); ++j) cells[table.schema().index(names[j])] = row[j];
    table.append(cells, std::nullopt);
  }
  return table;
}

PredictedValue first_of(const Predictions& predictions, std::size_t row = 0, std::size_t part = 0) {
  return predictions.rows[row].value()[part];
}

// Linear predictors at x = 2 are 1, 2 and 6.
TEST(Prediction, of_three_draws_by_hand) {
  Matrix draws(3, 3);
  draws << 0, 0.5, 0.1, 1, 0.5, 0.2, 2, 2, 0.3;
  const FittedRegression fitted = fitted_of("normal", "n ~ x", {"Intercept", "x", "sigma"}, draws);
  const Predictions predictions =
      predict(fitted, new_rows_of(fitted, {{"2"}, {"NA"}, {"99"}}), {.level = 0.5});
  EXPECT_EQ(predictions.response, "n");
  EXPECT_EQ(predictions.part, "");
  EXPECT_EQ(predictions.draws, 3U);
  const PredictedValue value = first_of(predictions);
  EXPECT_NEAR(value.mean, 3, 1e-12);
  EXPECT_NEAR(value.sd, std::sqrt((4 + 1 + 9) / 2.0), 1e-12);
  EXPECT_NEAR(value.lower, 1.5, 1e-12);
  EXPECT_NEAR(value.upper, 4, 1e-12);
  EXPECT_FALSE(predictions.rows[1].has_value());
  // Beyond the bound, 3, it is the bound's: 1.5, 2.5 and 8.
  EXPECT_NEAR(first_of(predictions, 2).mean, 4, 1e-12);
}

TEST(Prediction, new_responses_take_each_draws_own_sigma) {
  Matrix draws(4000, 2);
  for (Eigen::Index i = 0; i < draws.rows(); ++i) draws.row(i) << 1, (i % 2 == 0 ? 0.001 : 2);
  const FittedRegression fitted = fitted_of("normal", "n ~ 1", {"Intercept", "sigma"}, draws);
  const PredictionSettings settings{.quantity = PredictedQuantity::response, .level = 0.5, .seed = 3};
  const Table rows = new_rows_of(fitted, {{}, {}});
  const Predictions predictions = predict(fitted, rows, settings);
  const PredictedValue value = first_of(predictions);
  EXPECT_NEAR(value.sd, std::sqrt(2.0), 0.1);
  EXPECT_NEAR(value.lower, 0.999, 0.002);  // half of the draws are next to 1
  EXPECT_NE(first_of(predictions, 1).mean, value.mean);
  EXPECT_EQ(first_of(predict(fitted, rows, settings), 1).mean, first_of(predictions, 1).mean);
}

TEST(Prediction, survival_is_that_of_hazards_in_units_of_time) {
  Matrix draws(2, 3);
  draws << std::log(0.01), 0, std::log(2), std::log(0.01), 0, std::log(2);
  const FittedRegression fitted =
      fitted_of("piecewise-exponential", "Surv(t, y) ~ x", {"Intercept", "t[20-60]", "x"}, draws, {20});
  EXPECT_THAT(predictors_of(fitted), testing::ElementsAre("x"));
  const Predictions predictions = predict(fitted, new_rows_of(fitted, {{"0"}, {"1"}}), {});
  EXPECT_EQ(predictions.part, "time");
  EXPECT_THAT(predictions.parts, testing::ElementsAre("20", "60"));
  EXPECT_NEAR(first_of(predictions, 0, 0).mean, std::exp(-0.2), 1e-12);
  EXPECT_NEAR(first_of(predictions, 0, 1).mean, std::exp(-0.6), 1e-12);
  EXPECT_NEAR(first_of(predictions, 1, 1).mean, std::exp(-1.2), 1e-12);
}

TEST(Prediction, categories_are_told_apart_by_thresholds) {
  Matrix draws(1, 3);
  draws << 0, std::log(3), 0.5;
  const FittedRegression fitted =
      fitted_of("cumulative-logit", "o ~ x", {"low|middle", "middle|high", "x"}, draws);
  const Predictions predictions = predict(fitted, new_rows_of(fitted, {{"0"}, {"2"}}), {});
  EXPECT_NEAR(first_of(predictions, 0, 0).mean, 0.5, 1e-12);
  EXPECT_NEAR(first_of(predictions, 0, 1).mean, 0.25, 1e-12);
  EXPECT_NEAR(first_of(predictions, 0, 2).mean, 0.25, 1e-12);
  EXPECT_NEAR(first_of(predictions, 1, 0).mean, 1 / (1 + std::exp(1)), 1e-12);
}

/// Rows of the fit's own table as a fit makes them, against the same rows without their responses.
void expect_the_fits_design(const std::string& family, const std::string& formula,
                            const std::vector<double>& cuts = {}) {
  FitConfig config;
  config.model.family = family;
  config.model.formula = formula;
  config.model.cuts = cuts;
  Table table(kTable.select(columns_read(config.model)));
  ChainRng rng(7);
  std::vector<std::vector<std::string>> cells;
  for (int i = 0; i < 40; ++i) {
    std::vector<std::optional<std::string_view>> views;
    cells.emplace_back();
    for (const SchemaColumn& column : table.schema().columns) {
      const double u = column.range().lower - 1 + rng.uniform() * (column.range().width() + 2);
      cells.back().push_back(column.kind == ColumnKind::category
                                 ? column.levels[rng.below(column.levels.size())]
                             : column.kind == ColumnKind::real ? fmt::format("{:.17g}", u)
                                                               : "1");
    }
    for (const std::string& cell : cells.back()) views.emplace_back(cell);
    table.append(views, fmt::format("p{}", i));
  }
  FittedRegression fitted = fitted_of(family, formula, {}, {}, cuts);
  const Table blank(schema_of_new_rows(fitted));
  const Problem problem = regression_problem(config, blank, std::nullopt);
  const PublicProblem& known = problem.public_info;
  Position position = known.start;
  for (Eigen::Index j = 0; j < position.size(); ++j)
    if (j + 1 < position.size() || !known.offset) position[j] += 0.1 * rng.normal();
  const Position reported = known.to_report(position);
  fitted.draws.parameters = known.groups.names(known.parameters);
  fitted.draws.chains[0].draws = known.groups.complete(reported, known.groups.plain(reported)).transpose();
  std::vector<std::vector<std::string>> predictors;
  for (const auto& row : cells) {
    predictors.emplace_back();
    for (const std::string& name : predictors_of(fitted))
      predictors.back().push_back(row[table.schema().index(name)]);
  }
  const Predictions predictions = predict(fitted, new_rows_of(fitted, predictors), {});
  const Design design = regression_of(config.model, table.schema()).design;
  const Rows rows = design_rows(table, design);
  for (std::size_t i = 0; i < 40; ++i) {
    double eta = 0;
    const std::size_t first = i * design.pieces().count;
    for (Eigen::Index j = 0; j < design.columns(); ++j)
      eta += position[j] * rows.at(first, static_cast<std::size_t>(j));
    const double mean = family == "poisson"     ? std::exp(eta)
                        : family == "bernoulli" ? 1 / (1 + std::exp(-eta))
                                                : std::exp(-std::exp(eta));
    EXPECT_NEAR(first_of(predictions, i).mean / mean, 1, 1e-12) << formula << " row " << i;
  }
}

TEST(Prediction, rows_are_those_of_the_fits_design) {
  expect_the_fits_design("bernoulli", "y ~ x * g + I(x^2) + log(z)");
  expect_the_fits_design("bernoulli", "y ~ bs(z, 5) + poly(x, 3) + sqrt(z):g");
  expect_the_fits_design("bernoulli", "y ~ 0 + g + x:z");
  expect_the_fits_design("bernoulli", "n > 0 ~ C(o) + x");
  expect_the_fits_design("bernoulli", "y ~ x + z + (x || g)");
  expect_the_fits_design("poisson", "n ~ x + offset(log(z)) + (1 | g)");
  expect_the_fits_design("poisson", "n ~ 0 + g + offset(z)");
  expect_the_fits_design("piecewise-exponential", "Surv(t, y) ~ x + g", {10, 30});
}

TEST(Prediction, refuses_draws_of_another_model) {
  const auto refusal_of = [](const FittedRegression& fitted, const std::vector<std::string>& cells) {
    try {
      static_cast<void>(predict(fitted, new_rows_of(fitted, {cells}), {}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal_of(fitted_of("gamma", "n ~ 1", {"Intercept", "shape"}, Matrix::Ones(2, 2)), {}),
              HasSubstr("the draws are of Intercept, shape"));
  EXPECT_THAT(refusal_of(fitted_of("bernoulli", "y ~ x", {"Intercept", "z"}, Matrix::Ones(2, 2)), {"0"}),
              HasSubstr("the draws are of Intercept, z"));
}

TEST(Prediction, refuses_what_is_no_level) {
  const FittedRegression fitted = fitted_of("bernoulli", "y ~ 1", {"Intercept"}, Matrix::Ones(2, 1));
  for (const double level : {0.0, 1.0, -1.0, std::nan(""), 90.0})
    EXPECT_THROW(static_cast<void>(predict(fitted, new_rows_of(fitted, {}), {.level = level})), Error);
  EXPECT_TRUE(predict(fitted, new_rows_of(fitted, {}), {}).rows.empty());
}

TEST(Prediction, is_ended_by_its_progress) {
  const FittedRegression fitted = fitted_of("bernoulli", "y ~ x", {"Intercept", "x"}, Matrix::Ones(2, 2));
  const std::vector<std::vector<std::string>> cells(200, {"0"});
  std::vector<double> shares;
  const auto until = [&](std::size_t calls) {
    shares.clear();
    return predict(fitted, new_rows_of(fitted, cells), {}, [&shares, calls](double share) {
      shares.push_back(share);
      return shares.size() < calls;
    });
  };
  EXPECT_EQ(until(100).rows.size(), 200U);
  EXPECT_GT(shares.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_THROW(static_cast<void>(until(2)), Error);
}

TEST(Prediction, names_the_ends_of_intervals) {
  EXPECT_EQ(interval_ends(0.9), std::pair(std::string("q05"), std::string("q95")));
  EXPECT_EQ(interval_ends(0.95), std::pair(std::string("q02.5"), std::string("q97.5")));
  EXPECT_EQ(interval_ends(0.5), std::pair(std::string("q25"), std::string("q75")));
  EXPECT_EQ(interval_ends(0.8), std::pair(std::string("q10"), std::string("q90")));
}

TEST(Prediction, names_the_response_as_it_was_written) {
  const auto response_of = [](const std::string& formula) {
    const FittedRegression fitted = fitted_of("bernoulli", formula, {"Intercept"}, Matrix::Ones(2, 1));
    return predict(fitted, new_rows_of(fitted, {}), {}).response;
  };
  EXPECT_EQ(response_of(" y ~ 1"), "y");
  EXPECT_EQ(response_of("o == 'low' ~ 1"), "o == 'low'");
}

}  // namespace
}  // namespace predicted_rows
}  // namespace sotto
