// sotto account as a user calls it: the contract of its JSON, its solvers and its refusals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

TEST_F(AccountProgram, says_where_the_search_for_a_count_ends) {
  const Outcome most = sotto("account --mechanism gaussian:sigma=1e9 --epsilon 1 --delta 1e-6 --solve count");
  EXPECT_EQ(most.status, 0);
  EXPECT_EQ(most.out.find("count 1125899906842624\n"), 0U) << most.out;
  EXPECT_NE(most.err.find("More than 1125899906842624 may fit"), std::string::npos) << most.err;
  const Outcome fewer =
      sotto("account --mechanism gaussian:sigma=1e6 --epsilon 1 --delta 1e-6 --solve count");
  EXPECT_EQ(fewer.err, "");
}

// Nothing fits beside what costs too much alone: that is no count of 0, which would fit.
// What is found can be given back, as it was asked.
TEST_F(AccountProgram, calls_noise_as_its_mechanism_does) {
  for (const auto& [mechanism, key, rest] :
       {std::array{"laplace", "scale", ""}, std::array{"report-noisy-max", "scale", ""},
        std::array{"subsampled-gaussian:rate=0.1", "sigma", ",rate=0.1"},
        std::array{"subsampled-penalty:rate=0.1", "tau", ",rate=0.1"}}) {
    const std::string target = " --epsilon 1 --delta 1e-6 --bound rdp --json";
    const Outcome found = sotto(fmt::format("account --mechanism {}{} --solve sigma", mechanism, target));
    ASSERT_EQ(found.status, 0) << mechanism << found.err;
    const auto json = nlohmann::json::parse(found.out);
    ASSERT_TRUE(json.contains(key)) << mechanism << found.out;
    const std::string name = std::string(mechanism).substr(0, std::string(mechanism).find(':'));
    const Outcome back = sotto(fmt::format("account --mechanism {}:{}={}{} --delta 1e-6 --bound rdp --json",
                                           name, key, json[key].get<double>(), rest));
    EXPECT_EQ(back.status, 0) << mechanism << back.err;
  }
}

TEST_F(AccountProgram, calls_noise_of_an_event_as_its_file_does) {
  write("event.json", R"({"mechanism": "report-noisy-max", "scale": 1, "count": 1})");
  const Outcome found = sotto("account --event event.json --epsilon 1 --delta 1e-6 --solve sigma --json");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_TRUE(nlohmann::json::parse(found.out).contains("scale")) << found.out;
}

TEST_F(AccountProgram, solves_nothing_where_the_others_cost_too_much) {
  for (const char* beside : {"laplace:scale=1", "approximate:epsilon=0.1,delta=1e-3"}) {
    for (const char* sought : {"count", "sigma"}) {
      const Outcome run = sotto("account --mechanism gaussian:sigma=10 --mechanism " + std::string(beside) +
                                " --epsilon 0.5 --delta 1e-6 --solve " + sought);
      EXPECT_EQ(run.status, EX_USAGE) << beside;
      EXPECT_NE(run.err.find("costs more than this epsilon and delta by itself"), std::string::npos)
          << run.err;
    }
  }
}

TEST_F(AccountProgram, a_guarantee_holds_at_its_own_delta) {
  for (const char* delta : {"1e-5", "1e-6", "3e-8"}) {
    const Outcome run = sotto("account --mechanism approximate:epsilon=1,delta=" + std::string(delta) +
                              " --delta " + delta + " --json");
    ASSERT_EQ(run.status, 0) << run.err;
    const double epsilon = nlohmann::json::parse(run.out).at("epsilon_upper").get<double>();
    EXPECT_GE(epsilon, 1);
    EXPECT_NEAR(epsilon, 1, 1e-9);
  }
}

// Its count would be one of steps, which nobody can put back in.
TEST_F(AccountProgram, solves_for_no_count_of_dp_sgd) {
  const Outcome count = sotto(
      "account --mechanism dp-sgd:noise=1,rows=60000,batch=256,epochs=15 --epsilon 3 --delta 1e-5 --solve "
      "count");
  EXPECT_EQ(count.status, 64);
  EXPECT_NE(count.err.find("take subsampled-gaussian"), std::string::npos) << count.err;
  write("event.json", R"({"mechanism": "gaussian", "sensitivity": 1, "sigma": 10, "count": 1})");
  const Outcome event = sotto("account --event event.json --epsilon 1 --delta 1e-6 --solve count");
  EXPECT_EQ(event.status, 0) << event.err;
  EXPECT_EQ(event.out.find("count 5\n"), 0U) << event.out;
}

// Every answer says under which adjacency it holds, and whose bound it is.
TEST_F(AccountProgram, an_answer_states_its_terms) {
  const Outcome plain =
      sotto("account --mechanism laplace:scale=2 --mechanism gaussian:sigma=9 --delta 1e-6");
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_NE(plain.out.find("adjacency: substitute"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("upper bound: tight"), std::string::npos) << plain.out;
  const Outcome other = sotto("account --mechanism exponential-mechanism:epsilon=0.5,count=20 --delta 1e-6");
  EXPECT_NE(other.out.find("here by zcdp"), std::string::npos) << other.out;
  const Outcome solved =
      sotto("account --mechanism gaussian --epsilon 1 --delta 1e-6 --solve sigma --adjacency add-remove");
  EXPECT_NE(solved.out.find("adjacency: add-remove"), std::string::npos) << solved.out;
  const Outcome group = sotto("account --mechanism laplace:scale=2 --group 2 --delta 0");
  EXPECT_EQ(group.out.find("epsilon 1 at delta 0 "), 0U) << group.out;
  EXPECT_NE(group.out.find("groups of 2 rows"), std::string::npos) << group.out;
}

TEST_F(AccountProgram, warnings_name_the_program) {
  const Outcome wide =
      sotto("account --mechanism exponential-mechanism:epsilon=1,count=9 --delta 1e-6 --accuracy 1e-6");
  EXPECT_EQ(wide.status, 0);
  EXPECT_EQ(wide.err.find("sotto: the truth lies between "), 0U) << wide.err;
}

TEST_F(AccountProgram, events_go_out_and_in_as_json) {
  const Outcome out =
      sotto("account --mechanism laplace:scale=2,count=3 --mechanism gaussian:sigma=9 --delta 1e-6 --json");
  ASSERT_EQ(out.status, 0) << out.err;
  const auto first = nlohmann::json::parse(out.out);
  write("event.json", first.at("event").dump());
  const Outcome in = sotto("account --event event.json --delta 1e-6 --json");
  ASSERT_EQ(in.status, 0) << in.err;
  EXPECT_EQ(nlohmann::json::parse(in.out).at("epsilon"), first.at("epsilon"));
  write("all.json", out.out);
  const Outcome all = sotto("account --event all.json --delta 1e-6 --json");
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(nlohmann::json::parse(all.out).at("epsilon"), first.at("epsilon"));
  auto many = first;
  many["count"] = 100;
  write("many.json", many.dump());
  EXPECT_EQ(sotto("account --event many.json --delta 1e-6").status, 78);
  EXPECT_EQ(sotto("account --event no.json --delta 1e-6").status, 66);
  write("bad.json", "{");
  EXPECT_EQ(sotto("account --event bad.json --delta 1e-6").status, 78);
}

// The answer goes back in under the name that it is given.
TEST_F(AccountProgram, noise_is_called_what_the_mechanism_calls_it) {
  for (const auto& [spec, key] :
       {std::pair{"dp-sgd:rows=60000,batch=256,epochs=15", "noise"}, std::pair{"laplace:count=3", "scale"},
        std::pair{"gaussian:count=3", "sigma"}}) {
    const std::string question = " --epsilon 3 --delta 1e-5";
    const Outcome solved = sotto(std::string("account --mechanism ") + spec + question + " --solve " + key);
    ASSERT_EQ(solved.status, 0) << solved.err;
    ASSERT_TRUE(solved.out.starts_with(std::string(key) + " ")) << solved.out;
    const std::string value =
        solved.out.substr(std::string(key).size() + 1, solved.out.find('\n') - std::string(key).size() - 1);
    const Outcome back =
        sotto(std::string("account --mechanism ") + spec + "," + key + "=" + value + " --delta 1e-5 --json");
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_LE(nlohmann::json::parse(back.out)["epsilon"].get<double>(), 3) << spec;
    const Outcome json =
        sotto(std::string("account --mechanism ") + spec + question + " --json --solve " + key);
    EXPECT_TRUE(nlohmann::json::parse(json.out).contains(key)) << json.out;
  }
  const Outcome none = sotto("account --mechanism pure:epsilon=2 --epsilon 1 --delta 0 --solve count");
  EXPECT_EQ(none.out.find("count 0\n"), 0u) << none.out;
  EXPECT_EQ(none.err.find("sotto: Not even one fits"), 0u) << none.err;
}

TEST_F(AccountProgram, tells_what_a_promise_is_worth) {
  EXPECT_NE(sotto("account --mechanism gaussian:sigma=0.1 --delta 1e-6").err.find("promises next to nothing"),
            std::string::npos);
  EXPECT_NE(sotto("account --mechanism gaussian:sigma=9 --delta 0.1").err.find("Delta 0.1 is large"),
            std::string::npos);
  EXPECT_EQ(sotto("account --mechanism gaussian:sigma=9 --delta 1e-6").err, "");
  const Outcome endless = sotto("account --mechanism gaussian:sigma=9 --delta 0");
  EXPECT_EQ(endless.err.find("sotto: No epsilon is promised at so small a delta: of Gaussian noise none"), 0u)
      << endless.err;
}

TEST_F(AccountProgram, tells_the_trade_off_function_and_mu) {
  const Outcome outcome = sotto("account --mechanism gaussian:sigma=1 --delta 1e-6 --trade-off 3 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(json.at("gdp_mu").get<double>(), 1, 1e-11);
  ASSERT_EQ(json.at("trade_off").size(), 3U);
  EXPECT_NEAR(json.at("trade_off").at(1).at(1).get<double>(), 0.15865525393145707, 2e-3);
}

TEST_F(AccountProgram, refuses_with_one_line_and_the_usage_status) {
  for (const std::string arguments :
       {"--mechanism gaussian:sigma=0 --delta 1e-6", "--mechanism nonsense --delta 1e-6",
        "--mechanism gaussian:sigma=1", "--mechanism gaussian:sigma=1 --delta 2",
        "--mechanism gaussian:sigma=1 --delta nan",
        "--mechanism dp-barker:rows=1000,batch=100 --delta 1e-6 --bound zcdp",
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
