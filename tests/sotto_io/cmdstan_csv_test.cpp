#include "sotto_io/cmdstan_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

class CmdstanCsv : public testing::Test {
 protected:
  std::filesystem::path file_ = own_path();
  void TearDown() override { std::filesystem::remove(file_); }
  Draws read(const std::string& content) {
    write_whole_file(file_, content);
    return read_cmdstan_csv(std::vector{file_});
  }
};

Chain small_chain() {
  Chain chain;
  chain.seed = 7;
  chain.warmup = 3;
  chain.draws.resize(2, 2);
  chain.draws << 0.1, -1e300, 1.0 / 3, 4;
  chain.steps["accept_stat"] = {0.5, 1};
  return chain;
}

std::string written(const std::vector<std::string>& names, const Chain& chain) {
  std::ostringstream out;
  CsvHeader header;
  header.started = "2026-01-02 03:04:05 UTC";
  header.about = {{"epsilon", "1"}, {"formula", "a=b\nc"}};
  write_cmdstan_csv(out, header, names, chain, 2);
  return out.str();
}

TEST_F(CmdstanCsv, rows_and_header_have_the_form_readers_want) {
  const std::string text = written({"theta.1", "theta.2"}, small_chain());
  EXPECT_THAT(text, testing::StartsWith("# stan_version_major = "));
  EXPECT_THAT(text, testing::HasSubstr("\n#     num_samples = 2\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n#     algorithm = fixed_param\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n#     num_warmup = 3\n#     save_warmup = 0\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n# id = 2\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n# dp_formula = a:b c\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nlp__,accept_stat__,theta.1,theta.2\n"
                                       "0,0.5,0.10000000000000001,-1.0000000000000001e+300\n"
                                       "0,1,0.33333333333333331,4\n"
                                       "# \n#  Elapsed Time: "));
  std::istringstream lines(text);
  int timed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" seconds (") == std::string::npos) continue;
    ++timed;
    EXPECT_TRUE(std::isdigit(line[17])) << line;
    EXPECT_FALSE(std::isdigit(line[16])) << line;
  }
  EXPECT_EQ(timed, 3);
}

TEST_F(CmdstanCsv, no_warmup_is_read_back_as_none) {
  Chain chain = small_chain();
  chain.warmup = 0;
  const std::string text = written({"a", "b"}, chain);
  EXPECT_THAT(text, testing::HasSubstr("num_warmup = 1\n"));  // CmdStanPy refuses 0
  EXPECT_EQ(read(text).chains[0].warmup, 0U);
}

TEST_F(CmdstanCsv, names_that_readers_would_misread_are_changed) {
  const std::string text = written({"a,b", "age.sq"}, small_chain());
  EXPECT_THAT(text, testing::HasSubstr("\nlp__,accept_stat__,a_b,age_sq\n"));
  EXPECT_THAT(written({"a,b", "a_b"}, small_chain()), testing::HasSubstr("\nlp__,accept_stat__,a_b,a_b_2\n"));
}

TEST_F(CmdstanCsv, the_log_density_of_the_data_has_no_way_in) {
  Chain chain = small_chain();
  chain.steps["lp"] = {-1, -2};
  EXPECT_THROW((void)written({"a", "b"}, chain), Error);
  chain = small_chain();
  chain.steps["log_prior"] = {-1, -2};
  EXPECT_THAT(written({"a", "b"}, chain), testing::HasSubstr("\n-1,0.5,"));
}

TEST_F(CmdstanCsv, reads_what_others_write) {
  // Saved warmup, thinning, an adaptation block in the middle, Windows line ends.
  const Draws draws = read(
      "# method = sample (Default)\r\n#   sample\r\n#     num_samples = 4\r\n#     num_warmup = 3\r\n"
      "#     save_warmup = 1\r\n#     thin = 2\r\n# random\r\n#   seed = 42 (Default)\r\n"
      "lp__,accept_stat__,mu,tau.1\r\n-1,0.9,100,1\r\n-1,0.9,100,1\r\n# Adaptation terminated\r\n# Step size "
      "= 0.8\r\n"
      "-2,0.8,5,6\r\n-3,0.7,nan,-inf\r\n");
  EXPECT_THAT(draws.parameters, testing::ElementsAre("mu", "tau.1"));
  ASSERT_EQ(draws.chains.size(), 1U);
  const Chain& chain = draws.chains[0];
  EXPECT_EQ(chain.seed, 42U);
  ASSERT_EQ(chain.draws.rows(), 2);
  EXPECT_EQ(chain.draws(0, 0), 5);
  EXPECT_TRUE(std::isnan(chain.draws(1, 0)));
  EXPECT_EQ(chain.draws(1, 1), -HUGE_VAL);
  EXPECT_THAT(chain.steps.at("lp"), testing::ElementsAre(-2, -3));
}

TEST_F(CmdstanCsv, damage_is_reported_with_its_line) {
  const auto message = [&](const std::string& content) -> std::string {
    try {
      (void)read(content);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("a,b\n1,2\n3"), testing::HasSubstr("line 3"));
  EXPECT_THAT(message("a,b\n1,x\n"), testing::HasSubstr("line 2"));
  EXPECT_THAT(message("# only comments\n"), testing::HasSubstr("column names"));
  EXPECT_THAT(message(""), testing::HasSubstr("column names"));
}

}  // namespace
}  // namespace sotto
