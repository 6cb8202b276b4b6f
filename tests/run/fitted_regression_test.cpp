#include "sotto/run/fitted_regression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/base/error.hpp"
#include "sotto/run/schema_json.hpp"

namespace sotto {
namespace fitted_regression_of {
namespace {

using testing::HasSubstr;

const Schema kTable{{{"y", ColumnKind::count, {0, 9}, {}},
                     {"x", ColumnKind::real, {-1, 1}, {}},
                     {"unused", ColumnKind::real, {-1, 1}, {}}},
                    {}};

/// As a fit of the program records it.
RunRecord record_of(const std::string& family, const std::string& formula) {
  FitConfig config;
  config.model.family = family;
  config.model.formula = formula;
  RunRecord record;
  record.draws.parameters = {"Intercept", "x"};
  record.manifest.configuration = to_json(config);
  record.manifest.schema = to_json(kTable.select({"y", "x"}));
  return record;
}

std::string refusal_of(const RunRecord& record, const std::optional<Schema>& declared = std::nullopt) {
  try {
    static_cast<void>(fitted_regression(record, declared));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FittedRegression, is_read_from_the_record) {
  RunRecord record = record_of("poisson", "y ~ x");
  record.manifest.configuration["release_once"]["count_dispersion"] = 0.5;
  const FittedRegression fitted = fitted_regression(record, std::nullopt);
  EXPECT_EQ(fitted.model.family, "poisson");
  EXPECT_EQ(fitted.model.formula, "y ~ x");
  EXPECT_FALSE(fitted.model.sigma.has_value());
  EXPECT_EQ(fitted.dispersion, 0.5);
  EXPECT_EQ(fitted.schema.columns.size(), 2U);
  EXPECT_EQ(fitted.draws.parameters, record.draws.parameters);
}

TEST(FittedRegression, keeps_a_known_sigma_and_cuts) {
  RunRecord record = record_of("normal", "y ~ x");
  record.manifest.configuration["model"]["sigma"] = 0.7;
  EXPECT_EQ(fitted_regression(record, std::nullopt).model.sigma, 0.7);
  record.manifest.configuration["model"]["cuts"] = {1, 2.5};
  EXPECT_THAT(fitted_regression(record, std::nullopt).model.cuts, testing::ElementsAre(1, 2.5));
}

TEST(FittedRegression, takes_the_schema_where_the_record_has_none) {
  RunRecord record = record_of("poisson", "y ~ x");
  EXPECT_THAT(refusal_of(record, kTable), HasSubstr("drop --schema"));
  record.manifest.schema = nullptr;
  EXPECT_THAT(refusal_of(record), HasSubstr("--schema"));
  EXPECT_EQ(fitted_regression(record, kTable).schema.columns.size(), 2U);
}

TEST(FittedRegression, refuses_models_that_rows_have_no_columns_for) {
  for (const char* family : {"own", "normal-mean", "banana", "categorical"}) {
    RunRecord record = record_of(family, "y ~ 1");
    EXPECT_THAT(refusal_of(record), HasSubstr("model is")) << family;
    record.manifest.configuration["release_once"]["noise_dominates"] = false;  // of means: no counts
    EXPECT_THAT(refusal_of(record), HasSubstr("model is")) << family;
  }
  RunRecord damaged = record_of("poisson", "y ~ x");
  damaged.manifest.configuration.erase("model");
  EXPECT_THAT(refusal_of(damaged), HasSubstr("lacks the model"));
}

}  // namespace
}  // namespace fitted_regression_of
}  // namespace sotto
