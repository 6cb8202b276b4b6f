#include "sotto_io/prediction_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "sotto/base/error.hpp"
#include "sotto/run/problem.hpp"
#include "sotto/run/schema_json.hpp"
#include "sotto_io/run_directory.hpp"
#include "support/own_folder.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace predictions_of_a_directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const Schema kTable{{{"o", ColumnKind::category, {}, {"lo,w", "middle", "high"}},
                     {"y", ColumnKind::binary},
                     {"x", ColumnKind::real, {-1, 1}, {}}},
                    {}};

class PredictionOfADirectory : public testing::Test {
 protected:
  std::filesystem::path folder_ = own_folder();
  RunRecord record_ = synthetic_run(200, 0);

  void SetUp() override {
    record_.comparison.reset();
    for (Chain& chain : record_.draws.chains) chain.stop = StopReason::finished;
    fitted("bernoulli", "y ~ x", {"Intercept", "x"});
  }
  void fitted(const std::string& family, const std::string& formula,
              const std::vector<std::string>& parameters) {
    FitConfig config;
    config.model.family = family;
    config.model.formula = formula;
    record_.manifest.configuration = to_json(config);
    record_.manifest.schema = to_json(kTable.select(columns_read(config.model)));
    record_.draws.parameters = parameters;
    for (Chain& chain : record_.draws.chains)
      chain.draws = chain.draws.leftCols(static_cast<Eigen::Index>(parameters.size())).eval();
  }
  PredictionRun predicted(const std::string& rows, bool nevertheless = false,
                          const std::optional<Schema>& declared = std::nullopt) {
    write_run(folder_, record_);
    std::ofstream(folder_ / "rows.csv") << rows;
    return predictions_of(folder_, records_of(folder_ / "rows.csv"), {}, nevertheless, declared);
  }
};

TEST_F(PredictionOfADirectory, are_a_line_a_row) {
  const PredictionRun run = predicted("x\n0.5\nno number\n");
  EXPECT_TRUE(run.draws_are_private);
  EXPECT_THAT(run.warnings, ElementsAre(HasSubstr("1 of 2 rows have no prediction")));
  const std::string csv = to_csv(run);
  EXPECT_THAT(csv, StartsWith("row,mean,sd,q05,q95,private_draws\n1,0."));
  EXPECT_THAT(csv, testing::EndsWith("\n2,,,,,true\n"));
  double mean = 0;
  for (const Chain& chain : record_.draws.chains) {
    for (Eigen::Index i = 0; i < chain.draws.rows(); ++i)
      mean += 1 / (1 + std::exp(-chain.draws(i, 0) - 0.5 * chain.draws(i, 1))) / 800;
  }
  const nlohmann::ordered_json json = to_json(run, true);
  EXPECT_NEAR(json.at("predictions")[0].at("mean").get<double>(), mean, 1e-12);
  EXPECT_TRUE(json.at("predictions")[1].at("q95").is_null());
  EXPECT_EQ(json.at("rows"), 2);
  EXPECT_EQ(json.at("draws"), 800);
  EXPECT_EQ(json.at("response"), "y");
  EXPECT_FALSE(to_json(run, false).contains("predictions"));
}

TEST_F(PredictionOfADirectory, are_a_line_for_each_category) {
  fitted("cumulative-logit", "o ~ 1", {"lo,w|middle", "middle|high"});
  for (Chain& chain : record_.draws.chains) chain.draws.col(1) = chain.draws.col(0).array() + 1;
  const std::string csv = to_csv(predicted("anything\n1\n"));
  EXPECT_THAT(csv, StartsWith("row,category,mean,sd,q05,q95,private_draws\n1,\"lo,w\",0."));
  EXPECT_THAT(csv, HasSubstr("\n1,middle,0."));
  EXPECT_THAT(csv, HasSubstr("\n1,high,0."));
}

TEST_F(PredictionOfADirectory, say_where_draws_are_not_private) {
  record_.privacy = not_private_statement();
  const PredictionRun run = predicted("x\n0\n");
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("NOT PRIVATE")));
  EXPECT_THAT(to_csv(run), testing::EndsWith(",false\n"));
  EXPECT_EQ(to_json(run, false).at("private_draws"), false);
}

TEST_F(PredictionOfADirectory, are_refused_where_draws_are_no_answer) {
  for (Chain& chain : record_.draws.chains) chain.draws = chain.draws.topRows(20).eval();
  for (Chain& chain : record_.draws.chains) {
    for (auto& [name, values] : chain.steps) values.resize(20);
  }
  try {
    static_cast<void>(predicted("x\n0\n"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::budget);
    EXPECT_THAT(error.what(), StartsWith("NO ANSWER"));
  }
  const PredictionRun run = predicted("x\n0\n", true);
  EXPECT_THAT(run.warnings, ElementsAre(StartsWith("NO ANSWER")));
  EXPECT_THAT(to_json(run, false).at("no_answer").get<std::string>(), StartsWith("NO ANSWER"));
}

TEST_F(PredictionOfADirectory, are_refused_where_the_noise_dominates) {
  record_.manifest.configuration["release_once"] = {{"noise_dominates", true}, {"count_dispersion", nullptr}};
  try {
    static_cast<void>(predicted("x\n0\n"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::budget);
    EXPECT_THAT(error.what(), StartsWith("NO ANSWER: the noise dominates"));
  }
  EXPECT_THAT(predicted("x\n0\n", true).warnings, ElementsAre(StartsWith("NO ANSWER")));
}

TEST_F(PredictionOfADirectory, take_a_schema_where_the_manifest_says_none) {
  record_.manifest.schema = nullptr;
  EXPECT_THROW(static_cast<void>(predicted("x\n0\n")), Error);
  EXPECT_EQ(predicted("x\n0\n", false, kTable).predictions.rows.size(), 1U);
}

}  // namespace
}  // namespace predictions_of_a_directory
}  // namespace sotto
