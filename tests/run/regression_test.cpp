#include "sotto/run/regression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/base/error.hpp"

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

}  // namespace
}  // namespace named_regression
}  // namespace sotto
