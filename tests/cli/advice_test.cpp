// What a fit tells from the schema alone, and what it then leaves unsaid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

class Advice : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write("s.toml",
          "[[column]]\nname = \"ill\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"visits\"\nkind = \"count\"\nlower = 0\nupper = 9\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
    std::string text = "ill,visits,x\n";
    for (int i = 0; i < 2000; ++i)
      text += std::to_string(i % 2) + "," + std::to_string(i % 5) + "," + std::to_string(i % 7 * 0.1) + "\n";
    write("d.csv", text);
  }
  std::string told(const std::string& model) const {
    const Outcome run = sotto(
        "fit --data d.csv --schema s.toml --epsilon 10 --delta 1e-6 --draws 100 --out out "
        "--overwrite " +
        model);
    EXPECT_THAT(run.status, has_draws()) << run.err;
    return run.err;
  }
};

TEST_F(Advice, a_yes_or_no_is_for_logistic_regression) {
  const std::string counts = told("--formula 'ill ~ x' --family poisson");
  EXPECT_THAT(counts, HasSubstr("the response is yes or no"));
  EXPECT_THAT(counts, HasSubstr("--family bernoulli"));
  EXPECT_THAT(counts, Not(HasSubstr("declare wider bounds")));
  EXPECT_THAT(told("--formula 'visits > 2 ~ x' --family normal"), HasSubstr("the response is yes or no"));
  EXPECT_THAT(told("--formula 'ill ~ x' --family bernoulli"), Not(HasSubstr("the response is")));
}

TEST_F(Advice, a_count_is_for_poisson_regression) {
  EXPECT_THAT(told("--formula 'visits ~ x' --family normal"), HasSubstr("the response is a count"));
  EXPECT_THAT(told("--formula 'visits ~ x' --family poisson"), Not(HasSubstr("the response is")));
  EXPECT_THAT(told("--formula 'log1p(visits) ~ x' --family normal"), Not(HasSubstr("the response is")));
}

TEST_F(Advice, a_parameter_may_stand_in_quotes) {
  told("--formula 'ill ~ x' --set 'prior.parameter.\"x\"={scale=0.125}'");
  EXPECT_THAT(content("out/manifest.json"), HasSubstr("normal(0, 0.125)"));
}

}  // namespace
}  // namespace sotto
