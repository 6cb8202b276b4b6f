#include "sotto/run/regression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/base/error.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {
namespace named_regression {
namespace {

const Schema kTable{{{"y", ColumnKind::binary},
                     {"cost", ColumnKind::real, {0, 500}, {}},
                     {"x", ColumnKind::real, {-1, 1}, {}}},
                    {}};

ModelConfig model_of(const std::string& family, const std::string& formula) {
  ModelConfig model;
  model.family = family;
  model.formula = formula;
  return model;
}

TEST(Regression, has_the_formulas_design_and_the_named_family) {
  const Regression regression = regression_of(model_of("binomial", "y ~ x"), kTable);
  EXPECT_EQ(family_name(regression.family), "bernoulli");
  EXPECT_THAT(regression.design.names(), testing::ElementsAre("Intercept", "x"));
  EXPECT_EQ(regression.formula.text, "y ~ x");
}

TEST(Regression, counts_a_gamma_response_in_steps) {
  EXPECT_DOUBLE_EQ(regression_of(model_of("gamma", "cost ~ x"), kTable).design.response().unit, 500 / 1e5);
}

TEST(Regression, refuses_what_does_not_fit) {
  EXPECT_THROW(static_cast<void>(regression_of(model_of("poisson", "cost ~ x"), kTable)), Error);
  EXPECT_THROW(static_cast<void>(family_of(model_of("logistic", "y ~ x"))), Error);
}

TEST(Regression, tells_of_columns_whose_missing_cells_take_a_value) {
  FitConfig config;
  config.model = model_of("bernoulli", "y ~ x + g");
  config.epsilon = 1;
  config.delta = 1e-6;
  const auto told = [&](MissingPolicy missing) {
    const Schema schema{{{"y", ColumnKind::binary},
                         {"x", ColumnKind::real, {-1, 1}, {}, missing, 0.25},
                         {"g", ColumnKind::category, {}, {"a", "b"}, missing, 1}},
                        {}};
    return make_problem_without_rows(config, schema, 100).public_info.warnings;
  };
  EXPECT_THAT(told(MissingPolicy::drop), testing::IsEmpty());
  EXPECT_THAT(told(MissingPolicy::impute),
              testing::ElementsAre(testing::HasSubstr("Missing cells of x count as 0.25"),
                                   testing::HasSubstr("Missing cells of g count as b")));
}

// Two codes in a row are two values, as 0 and 1 are; a product with them is not.
TEST(Regression, knows_columns_of_two_values) {
  const Schema schema{{{"y", ColumnKind::binary},
                       {"smoker", ColumnKind::count, {1, 2}, {}},
                       {"children", ColumnKind::count, {0, 9}, {}},
                       {"size", ColumnKind::count, {1, 4}, {}},
                       {"share", ColumnKind::real, {0, 1}, {}},
                       {"ill", ColumnKind::binary},
                       {"g", ColumnKind::category, {}, {"a", "b"}}},
                      {}};
  FitConfig config;
  config.model =
      model_of("bernoulli", "y ~ smoker + share + ill + g + sqrt(size) + bs(children, 4) + smoker:ill");
  config.epsilon = 1;
  config.delta = 1e-6;
  const PublicProblem known = make_problem_without_rows(config, schema, 100).public_info;
  EXPECT_THAT(known.indicator,
              testing::ElementsAre(false, true, false, true, true, false, false, false, false, false, false));
}

// A header may be anything; who asks for a parameter by its name gets one.
TEST(Regression, refuses_two_parameters_of_one_name) {
  const Schema schema{{{"y", ColumnKind::real, {0, 10}, {}},
                       {"sigma", ColumnKind::real, {-1, 1}, {}},
                       {"Intercept", ColumnKind::real, {-1, 1}, {}},
                       {"sd(g)", ColumnKind::real, {-1, 1}, {}},
                       {"g", ColumnKind::category, {}, {"a", "b", "c"}},
                       {"a", ColumnKind::real, {-1, 1}, {}},
                       {"b", ColumnKind::real, {-1, 1}, {}},
                       {"a:b", ColumnKind::real, {-1, 1}, {}}},
                      {}};
  const auto made = [&](const char* family, const char* formula) {
    FitConfig config;
    config.model = model_of(family, formula);
    config.epsilon = 1;
    config.delta = 1e-6;
    return make_problem_without_rows(config, schema, 100).public_info.parameters.size();
  };
  for (const char* formula : {"y ~ sigma", "y ~ Intercept", "y ~ a * b + `a:b`", "y ~ `sd(g)` + (1 | g)"}) {
    try {
      static_cast<void>(made("normal", formula));
      FAIL() << formula;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("two parameters would be called")) << formula;
    }
  }
  EXPECT_EQ(made("normal", "y ~ a + `a:b`"), 4U);
  EXPECT_EQ(made("gamma", "y ~ sigma"), 2U);
}

}  // namespace
}  // namespace named_regression
}  // namespace sotto
