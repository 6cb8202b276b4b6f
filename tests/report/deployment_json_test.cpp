// The entry for a registry says what the run promises, and leaves to its publisher what is his.
#include "sotto/report/deployment_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(DeploymentJson, holds_the_promise_and_the_mechanisms) {
  const RunRecord record = synthetic_run(50);
  const auto deployment = deployment_json(record).at("deployment");
  const auto loss = deployment.at("privacy_loss");
  EXPECT_EQ(loss.at("privacy_unit"), record.privacy.privacy_unit);
  EXPECT_EQ(loss.at("privacy_parameters").at("epsilon"), record.privacy.epsilon);
  EXPECT_EQ(loss.at("privacy_parameters").at("delta"), record.privacy.delta);
  EXPECT_THAT(deployment.at("implementation").at("mechanisms").get<std::string>(),
              HasSubstr(record.privacy.releases.front().mechanism));
  EXPECT_TRUE(deployment.at("product").at("data_curators").empty());
  EXPECT_EQ(deployment.at("product").at("publication_date"), "");
}

TEST(DeploymentJson, earlier_runs_of_the_directory_are_in_its_figure) {
  RunRecord record = synthetic_run(50);
  record.privacy.earlier = {.count = 1, .epsilon = 2, .delta = 1e-6};
  const auto loss = [&] { return deployment_json(record).at("deployment").at("privacy_loss"); };
  EXPECT_EQ(loss().at("privacy_parameters").at("epsilon"), record.privacy.epsilon + 2);
  EXPECT_EQ(loss().at("privacy_parameters").at("delta"), record.privacy.delta + 1e-6);
  EXPECT_THAT(loss().at("privacy_parameters_description").get<std::string>(), HasSubstr("An earlier run"));
  record.privacy.earlier.epsilon = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(loss().at("privacy_parameters").at("epsilon").is_null());
}

}  // namespace
}  // namespace sotto
