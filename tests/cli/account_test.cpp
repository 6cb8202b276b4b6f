// sotto account as a user calls it: the contract of its JSON, its solvers and its refusals.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace sotto {
namespace {

class AccountProgram : public Program {};

TEST_F(AccountProgram, prints_bounds_on_both_sides) {
  const Outcome outcome = sotto(
      "account --mechanism subsampled-gaussian:sigma=4,rate=0.01,count=10000 --adjacency add-remove "
      "--epsilon 1 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_LE(json.at("delta_lower").get<double>(), 4.243484252431285e-6);
  EXPECT_GE(json.at("delta_upper").get<double>(), 4.243484252431285e-6);
  EXPECT_EQ(json.at("delta"), json.at("delta_upper"));
  EXPECT_EQ(json.at("epsilon"), 1);
  EXPECT_EQ(json.at("bound"), "tight");
  EXPECT_EQ(json.at("adjacency"), "add-remove");
  EXPECT_TRUE(json.contains("rho"));
}

TEST_F(AccountProgram, every_bound_answers) {
  for (const std::string bound : {"tight", "rdp", "zcdp", "advanced"}) {
    const Outcome outcome =
        sotto("account --mechanism laplace:scale=20,count=10 --delta 1e-6 --json --bound " + bound);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_LE(json.at("epsilon_lower").get<double>(), json.at("epsilon_upper").get<double>());
  }
}

TEST_F(AccountProgram, solves_for_count_and_sigma) {
  const Outcome count =
      sotto("account --mechanism gaussian:sigma=10 --epsilon 1 --delta 1e-6 --solve count --json");
  ASSERT_EQ(count.status, 0) << count.err;
  EXPECT_EQ(nlohmann::json::parse(count.out).at("count"), 5);
  const Outcome sigma = sotto("account --mechanism gaussian --epsilon 1 --delta 1e-6 --solve sigma --json");
  ASSERT_EQ(sigma.status, 0) << sigma.err;
  EXPECT_NEAR(nlohmann::json::parse(sigma.out).at("sigma").get<double>(), 4.2246791, 1e-4);
}

TEST_F(AccountProgram, refuses_with_one_line_and_the_usage_status) {
  for (const std::string arguments :
       {"--mechanism gaussian:sigma=0 --delta 1e-6", "--mechanism nonsense --delta 1e-6",
        "--mechanism gaussian:sigma=1", "--mechanism gaussian:sigma=1 --delta 2",
        "--mechanism gaussian:sigma=1 --delta nan", "--mechanism dp-barker:rows=1000,batch=100 --delta 1e-6",
        "--mechanism subsampled-gaussian:sigma=1,rate=0.1,sampling=without-replacement --adjacency "
        "add-remove --delta 1e-6"}) {
    const Outcome outcome = sotto("account " + arguments);
    EXPECT_EQ(outcome.status, 64) << arguments;
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace sotto
