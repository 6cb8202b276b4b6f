#include "sotto_io/run_directory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/result_files.hpp"
#include "support/own_folder.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

class RunDirectory : public testing::Test {
 protected:
  fs::path folder_;
  void SetUp() override {
    folder_ = own_path();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] nlohmann::json json(const char* name) const {
    return nlohmann::json::parse(read_whole_file(folder_ / name));
  }
};

TEST_F(RunDirectory, what_is_written_is_read_back) {
  const RunRecord record = synthetic_run(50);
  write_run(folder_, record);
  const RunRecord back = read_run(folder_);
  EXPECT_EQ(back.sd_inflation, record.sd_inflation);
  EXPECT_FALSE(record.prior_sensitivity.empty());
  EXPECT_EQ(back.prior_sensitivity, record.prior_sensitivity);
  EXPECT_EQ(json("summary.json")["parameters"][0]["prior_sensitivity"], record.prior_sensitivity[0].second);
  EXPECT_EQ(back.title, record.title);
  EXPECT_EQ(back.method, record.method);
  EXPECT_EQ(back.draws.parameters, record.draws.parameters);
  ASSERT_EQ(back.draws.chains.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(back.draws.chains[c].draws, record.draws.chains[c].draws);  // 17 digits give the same bits
    EXPECT_EQ(back.draws.chains[c].steps, record.draws.chains[c].steps);
    EXPECT_EQ(back.draws.chains[c].stop, record.draws.chains[c].stop);
    EXPECT_EQ(back.draws.chains[c].seed, record.draws.chains[c].seed);
    EXPECT_EQ(back.draws.chains[c].warmup, record.draws.chains[c].warmup);
  }
  ASSERT_TRUE(back.comparison.has_value());
  EXPECT_EQ(back.comparison->chains[1].draws, record.comparison->chains[1].draws);
  EXPECT_EQ(back.priors.size(), record.priors.size());
  EXPECT_EQ(back.privacy.releases.size(), record.privacy.releases.size());
  EXPECT_EQ(back.privacy.epsilon, record.privacy.epsilon);
  EXPECT_EQ(back.privacy.curve.size(), record.privacy.curve.size());
  EXPECT_EQ(back.manifest.configuration, record.manifest.configuration);

  // The report can be made again from the directory alone, byte for byte.
  const std::string report = read_whole_file(folder_ / "report.html");
  const std::string page = read_whole_file(not_private_report(folder_));
  write_report(folder_, back);
  EXPECT_EQ(read_whole_file(folder_ / "report.html"), report);
  EXPECT_EQ(read_whole_file(not_private_report(folder_)), page);
}

TEST_F(RunDirectory, holds_the_promised_files_and_nothing_half_written) {
  write_run(folder_, synthetic_run(20));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
  EXPECT_THAT(
      names, testing::UnorderedElementsAre("chain_1.csv", "chain_2.csv", "chain_3.csv", "chain_4.csv",
                                           "not_private", "summary.csv", "summary.json", "privacy.json",
                                           "manifest.json", "report.html", "outputs.txt", "deployment.json"));
}

TEST_F(RunDirectory, a_smaller_run_leaves_no_chain_of_a_larger_one) {
  write_run(folder_, synthetic_run(20));
  RunRecord smaller = synthetic_run(20);
  smaller.draws.chains.resize(2);
  smaller.comparison.reset();
  write_run(folder_, smaller);
  EXPECT_FALSE(fs::exists(folder_ / "chain_3.csv"));
  EXPECT_FALSE(fs::exists(folder_ / "chain_4.csv"));
  EXPECT_FALSE(fs::exists(folder_ / "not_private"));
  EXPECT_EQ(read_run(folder_).draws.chains.size(), 2U);
}

// What was paid for is not touched while the comparison is written: a run that dies there has its draws.
TEST_F(RunDirectory, a_comparison_leaves_the_draws_where_they_are) {
  const RunRecord record = synthetic_run(20);
  RunRecord alone = record;
  alone.comparison.reset();
  write_run(folder_, alone);
  write_whole_file(folder_ / "chain_1.csv", "draws");
  add_comparison(folder_, record);
  EXPECT_EQ(read_whole_file(folder_ / "chain_1.csv"), "draws");
  EXPECT_TRUE(fs::exists(folder_ / "not_private" / "chain_2.csv"));
  EXPECT_THAT(read_whole_file(folder_ / "privacy.json"), testing::HasSubstr("not_private/chain_2.csv"));

  write_run(folder_, record);
  const std::string at_once = read_whole_file(folder_ / "report.html");
  write_run(folder_, alone);
  add_comparison(folder_, record);
  EXPECT_EQ(read_whole_file(folder_ / "report.html"), at_once);
}

// Neither the mark of one nor the figures.
TEST_F(RunDirectory, the_page_of_a_private_run_shows_no_exact_one) {
  write_run(folder_, synthetic_run(20));
  const std::string page = read_whole_file(folder_ / "report.html");
  const std::string both = read_whole_file(folder_ / "not_private" / "report.html");
  for (const char* shown : {"NOT PRIVATE</span>", "a fit WITHOUT privacy", "class=\"np90\""}) {
    EXPECT_EQ(page.find(shown), std::string::npos) << shown;
    EXPECT_NE(both.find(shown), std::string::npos) << shown;
  }
}

TEST_F(RunDirectory, nothing_of_an_earlier_run_stands_beside_a_new_one) {
  const auto nothing = [] { return std::string("1"); };
  replace_results(folder_, {{"chain_12.csv", nothing},
                            {"clusters.json", nothing},
                            {"density.csv", nothing},
                            {"synthetic.csv", nothing},
                            {"not_private/chain_9.csv", nothing}});
  fs::create_directories(folder_ / "chain_1.csv.new");  // what else stands there is no result
  RunRecord record = synthetic_run(20);
  record.comparison.reset();
  write_run(folder_, record);
  for (const char* name : {"chain_12.csv", "clusters.json", "density.csv", "synthetic.csv", "not_private"})
    EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  EXPECT_TRUE(fs::exists(folder_ / "chain_1.csv.new"));
}

TEST_F(RunDirectory, what_is_no_name_of_a_result_is_not_written) {
  const std::vector<ResultFile> files{{"notes.csv", [] { return std::string("1"); }}};
  EXPECT_THROW(replace_results(folder_, files), std::logic_error);
  EXPECT_THROW(add_results(folder_, files), std::logic_error);
  EXPECT_FALSE(fs::exists(folder_ / "notes.csv"));
}

TEST_F(RunDirectory, what_no_run_wrote_is_never_removed) {
  fs::create_directories(folder_ / "elsewhere");
  for (const char* name : {"chain_stores.csv", "chain_.csv", "density.csv", "chain_9.csv"})
    write_whole_file(folder_ / name, "mine");
  write_whole_file(folder_ / "elsewhere" / "chain_1.csv", "mine");
  RunRecord record = synthetic_run(20);
  record.comparison.reset();
  write_run(folder_, record);
  fs::create_directory_symlink("elsewhere", folder_ / "not_private");
  write_run(folder_, record);
  for (const char* name :
       {"chain_stores.csv", "chain_.csv", "density.csv", "chain_9.csv", "elsewhere/chain_1.csv"})
    EXPECT_EQ(read_whole_file(folder_ / name), "mine") << name;
}

// The folder of that name was ours, and another's files have the names of those that stood there.
TEST_F(RunDirectory, what_a_link_leads_to_is_never_removed) {
  write_run(folder_, synthetic_run(20));
  fs::remove_all(folder_ / "not_private");
  fs::create_directories(folder_ / "elsewhere");
  write_whole_file(folder_ / "elsewhere" / "chain_1.csv", "mine");
  fs::create_directory_symlink("elsewhere", folder_ / "not_private");
  RunRecord record = synthetic_run(20);
  record.comparison.reset();
  write_run(folder_, record);
  ASSERT_TRUE(fs::exists(folder_ / "elsewhere" / "chain_1.csv"));
  EXPECT_EQ(read_whole_file(folder_ / "elsewhere" / "chain_1.csv"), "mine");
}

// What would be written, or be read as part of it, is refused before anything is spent.
TEST_F(RunDirectory, obstacles_are_told_before_a_run) {
  const auto refused = [&] {
    try {
      check_run_directory(folder_, {}, true);
    } catch (const Error& error) {
      return error.code() == ErrorCode::cannot_create;
    }
    return false;
  };
  for (const char* name :
       {"summary.csv", "synthetic.csv", "chain_7.csv", "outputs.txt", "charges.jsonl",
        "chain_2.csv.18911.part", "not_private/report.html", "synthetic.csv.channel.toml"}) {
    fs::remove_all(folder_);
    EXPECT_FALSE(refused()) << name;
    fs::create_directories((folder_ / name).parent_path());
    EXPECT_FALSE(refused()) << name;
    write_whole_file(folder_ / name, "mine");
    EXPECT_TRUE(refused()) << name;
  }
  for (const char* name : {"chain_1.csv", "not_private/report.html"}) {  // ours once, and a folder now
    fs::remove_all(folder_);
    write_run(folder_, synthetic_run(20));
    EXPECT_FALSE(refused()) << name;
    fs::remove(folder_ / name);
    fs::create_directories(folder_ / name / "x");
    EXPECT_TRUE(refused()) << name;
  }
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  write_whole_file(folder_ / "not_private", "a file");
  EXPECT_TRUE(refused());
}

TEST_F(RunDirectory, privacy_json_has_the_promised_keys) {
  const RunRecord record = synthetic_run(20);
  write_run(folder_, record);
  const auto privacy = json("privacy.json");
  for (const char* key :
       {"epsilon", "delta", "rho", "adjacency", "privacy_unit", "mechanisms", "noise_source", "private"}) {
    EXPECT_TRUE(privacy.contains(key)) << key;
  }
  EXPECT_EQ(privacy["private"], true);
  EXPECT_EQ(privacy["epsilon"], 1.0);
  EXPECT_EQ(privacy["mechanisms"], nlohmann::json::array({"discrete Gaussian"}));
  double rho = 0;
  for (const auto& line : privacy["releases"])
    rho += line["count"].get<double>() * line["rho_each"].get<double>();
  EXPECT_NEAR(rho, privacy["rho"].get<double>(), 1e-12);
}

TEST_F(RunDirectory, a_run_without_privacy_claims_no_numbers) {
  RunRecord record = synthetic_run(20);
  record.privacy = not_private_statement();
  write_run(folder_, record);
  const auto privacy = json("privacy.json");
  EXPECT_EQ(privacy["private"], false);
  EXPECT_TRUE(privacy["epsilon"].is_null());
  EXPECT_FALSE(read_run(folder_).privacy.is_private);
  EXPECT_THAT(read_whole_file(folder_ / "chain_1.csv"), testing::HasSubstr("# dp_private = 0"));
}

// It had a budget, and noise that somebody can repeat.
TEST_F(RunDirectory, a_run_whose_noise_is_not_private_claims_no_numbers) {
  RunRecord record = synthetic_run(20);
  record.comparison.reset();
  record.privacy.is_private = false;
  ASSERT_EQ(record.privacy.epsilon, 1);
  write_run(folder_, record);
  const auto privacy = json("privacy.json");
  EXPECT_EQ(privacy["private"], false);
  for (const char* claim : {"epsilon", "delta", "spent_epsilon"})
    EXPECT_TRUE(privacy.at(claim).is_null()) << claim;
  EXPECT_FALSE(fs::exists(folder_ / "deployment.json"));
  EXPECT_EQ(json("summary.json")["private"], false);
  EXPECT_THAT(read_whole_file(folder_ / "summary.csv"), testing::Not(testing::HasSubstr(",true")));
  EXPECT_THAT(read_whole_file(folder_ / "chain_1.csv"), testing::Not(testing::HasSubstr("dp_epsilon")));
}

TEST_F(RunDirectory, exact_chains_beside_private_ones_claim_no_privacy) {
  write_run(folder_, synthetic_run(20));
  EXPECT_THAT(read_whole_file(folder_ / "chain_1.csv"), testing::HasSubstr("# dp_private = 1"));
  for (const int c : {1, 2}) {
    const std::string chain = read_whole_file(folder_ / "not_private" / fmt::format("chain_{}.csv", c));
    EXPECT_THAT(chain, testing::HasSubstr("# dp_private = 0")) << c;
    EXPECT_THAT(chain, testing::Not(testing::HasSubstr("dp_epsilon"))) << c;
  }
}

TEST_F(RunDirectory, an_unreachable_place_is_refused) {
  fs::create_directories(folder_);
  write_whole_file(folder_ / "file", "x");
  try {
    write_run(folder_ / "file" / "inside", synthetic_run(4));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cannot_create);
  }
}

TEST_F(RunDirectory, a_statement_that_cannot_be_read_may_have_been_paid_for) {
  for (const char* text : {"{", "[]", "{}", "{\"private\": 1}"}) {
    fs::remove_all(folder_);
    write_run(folder_, synthetic_run(20));
    fs::remove(folder_ / "charges.jsonl");
    write_whole_file(folder_ / "privacy.json", text);
    EXPECT_THROW(check_run_directory(folder_, {}, false), Error) << text;
    EXPECT_NO_THROW(check_run_directory(folder_, {}, true)) << text;
  }
}

TEST_F(RunDirectory, damage_is_told_from_absence) {
  const auto code_of = [&] {
    try {
      (void)read_run(folder_);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code_of(), ErrorCode::no_input);
  write_run(folder_, synthetic_run(20));
  write_whole_file(folder_ / "privacy.json", "{\"epsilon\": 1}");
  EXPECT_EQ(code_of(), ErrorCode::data);
  write_whole_file(folder_ / "privacy.json", "{");
  EXPECT_EQ(code_of(), ErrorCode::data);
  fs::remove(folder_ / "privacy.json");
  EXPECT_EQ(code_of(), ErrorCode::no_input);
}

}  // namespace
}  // namespace sotto
