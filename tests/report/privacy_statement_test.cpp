#include "sotto/report/privacy_statement.hpp"
#include "sotto/ledger/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

std::string all_words(const PrivacyStatement& statement) {
  std::string text;
  for (const auto& paragraph : in_plain_words(statement)) text += paragraph + "\n";
  return text;
}

PrivacyStatement example() {
  Budget budget(Epsilon(1), Delta(1e-6));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(budget.spend({"score", "discrete Gaussian", Rho(0.002), 1e-10, 10. + i, 5, 0.5}).has_value());
  EXPECT_TRUE(budget.spend({"curvature", "discrete Gaussian", Rho(0.001), 0}).has_value());
  return statement_of(budget.spending(), Adjacency::substitute, "one row", "one curator", "operating system",
                      true);
}

TEST(PromiseWarnings, are_of_promises_that_protect_little) {
  EXPECT_TRUE(promise_warnings(1, 1e-6, 20000).empty());
  EXPECT_TRUE(promise_warnings(1, 1e-6, {}).empty());
  EXPECT_THAT(promise_warnings(21, 1e-6, {}), testing::ElementsAre(HasSubstr("Epsilon 21")));
  EXPECT_NO_THROW(check_promise(1e-4, 10000));
  try {
    check_promise(0.01, 2000);
    ADD_FAILURE() << "20 rows may be published";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_THAT(error.what(), HasSubstr("take 1e-05 or less"));
  }
  EXPECT_NO_THROW(check_promise(0.1, std::nullopt));
  EXPECT_THROW(check_promise(0.11, std::nullopt), Error);
  EXPECT_THAT(promise_warnings(1, 0.01, {}), testing::ElementsAre(HasSubstr("Delta 0.01 is large")));
}

TEST(PrivacyStatement, holds_the_books) {
  const PrivacyStatement s = example();
  ASSERT_EQ(s.releases.size(), 2U);
  EXPECT_EQ(s.releases[0].count, 3U);
  EXPECT_EQ(s.releases[1].query, "curvature");
  EXPECT_EQ(s.releases[0].sensitivity, 6);  // the largest, 12 steps of a half
  EXPECT_EQ(s.releases[0].noise_scale, 2.5);
  EXPECT_EQ(s.releases[0].grid, 0.5);
  EXPECT_EQ(s.releases[1].sensitivity, std::nullopt);
  EXPECT_NEAR(s.rho, 0.007, 1e-12);
  EXPECT_NEAR(s.slack, 3e-10, 1e-15);
  EXPECT_LT(s.spent_epsilon, s.epsilon);
  EXPECT_GE(s.spent_epsilon, gaussian_epsilon(Rho(0.007), Delta(1e-6)).value());
}

TEST(PrivacyStatement, the_curve_meets_the_promise) {
  const PrivacyStatement s = example();
  // Between the points on either side of the promised epsilon lies the promised delta.
  for (std::size_t i = 1; i < s.curve.size(); ++i) {
    EXPECT_GT(s.curve[i].epsilon, s.curve[i - 1].epsilon);
    EXPECT_LT(s.curve[i].delta, s.curve[i - 1].delta);
    if (s.curve[i - 1].epsilon <= s.epsilon && s.epsilon <= s.curve[i].epsilon) {
      EXPECT_LE(s.curve[i].delta, s.delta);
      EXPECT_GE(s.curve[i - 1].delta, s.delta * (1 - 1e-6));
    }
  }
  EXPECT_GT(s.curve.back().epsilon, s.epsilon);
}

// What is spent depends on the data: the curve must be the same whatever was, and hold if all of it had been.
TEST(PrivacyStatement, the_curve_is_that_of_the_limits) {
  const auto after = [](double rho, double slack) {
    Budget budget(Epsilon(1), Delta(1e-6));
    EXPECT_TRUE(budget.spend({"score", "discrete Gaussian", Rho(rho), slack}).has_value());
    return statement_of(budget.spending(), Adjacency::substitute, "one row", "one curator",
                        "operating system", true)
        .curve;
  };
  const auto little = after(1e-5, 1e-12);
  const auto much = after(0.01, 0.99e-6);
  ASSERT_EQ(little.size(), much.size());
  const double slack = kSlackShare * 1;
  const Rho most = gaussian_rho(Epsilon(1 - slack), Delta(1e-6));
  for (std::size_t i = 0; i < little.size(); ++i) {
    EXPECT_EQ(little[i].epsilon, much[i].epsilon);
    EXPECT_EQ(little[i].delta, much[i].delta);
    // All slack that may be spent, and all cost.
    EXPECT_GE(little[i].delta,
              gaussian_delta_bounds(most, Epsilon(std::max(little[i].epsilon - slack, 0.0))).lower);
  }
}

TEST(PrivacyStatement, power_is_the_gaussian_tests_and_never_below) {
  const double rho = 0.3;
  const auto curve = privacy_curve(rho, 0);
  const boost::math::normal standard;
  for (const double wrong : {0.001, 0.01, 0.05, 0.3, 0.7, 0.99}) {
    // The most powerful test between N(0, 1) and N(mu, 1), mu = sqrt(2 rho).
    const double right =
        boost::math::cdf(standard, boost::math::quantile(standard, wrong) + std::sqrt(2 * rho));
    EXPECT_GE(best_true_positive_rate(curve, wrong), right - 1e-12);
    EXPECT_LE(best_true_positive_rate(curve, wrong), right + 2e-3);
  }
}

TEST(PrivacyStatement, power_follows_from_one_pair_by_hand) {
  const std::vector<CurvePoint> pure{{std::log(2.0), 0.01}};
  EXPECT_NEAR(best_true_positive_rate(pure, 0.1), 0.21, 1e-12);
  EXPECT_NEAR(best_true_positive_rate(pure, 0.8), 1 - (1 - 0.01 - 0.8) / 2, 1e-12);
  EXPECT_EQ(best_true_positive_rate({}, 0.1), 1);
}

TEST(PrivacyStatement, says_the_numbers_in_words) {
  PrivacyStatement s = example();
  const std::string words = all_words(s);
  EXPECT_THAT(words, HasSubstr("one row"));
  EXPECT_THAT(words, HasSubstr("exchanged"));
  EXPECT_THAT(words, HasSubstr("e^1 = 2.719"));
  EXPECT_THAT(words, HasSubstr("1e-6"));
  EXPECT_THAT(words, HasSubstr("not promise"));
  s.adjacency = Adjacency::add_remove;
  EXPECT_EQ(adjacency_name(s.adjacency), "add-remove");
  EXPECT_THAT(all_words(s), HasSubstr("added to the data or left out"));
}

TEST(PrivacyStatement, says_what_neighbours_of_the_other_kind_are_promised) {
  const auto words = [](Adjacency adjacency) {
    PrivacyStatement s;
    s.is_private = true;
    s.epsilon = 1;
    s.delta = 1e-6;
    s.adjacency = adjacency;
    std::string all;
    for (const std::string& paragraph : in_plain_words(s)) all += paragraph + "\n";
    return all;
  };
  EXPECT_THAT(words(Adjacency::substitute), testing::HasSubstr("nothing is promised under add-remove"));
  EXPECT_THAT(words(Adjacency::add_remove), testing::HasSubstr("at epsilon 2 and delta 3.72e-6"));
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    EXPECT_THAT(words(adjacency), testing::HasSubstr("for three of them the factor is at most 20."));
    EXPECT_THAT(words(adjacency), testing::HasSubstr("total probability 1.12e-5"));
    EXPECT_THAT(words(adjacency), testing::HasSubstr("as the schema declares them"));
  }
}

TEST(PrivacyStatement, earlier_runs_add_to_what_is_promised_whatever_is_spent) {
  PrivacyStatement statement;
  statement.epsilon = 1;
  statement.spent_epsilon = 0.25;
  statement.delta = 1e-6;
  EXPECT_EQ(with_earlier(statement), "");
  statement.earlier = {2, 2.5, 2e-6};
  EXPECT_THAT(with_earlier(statement), HasSubstr("no more than epsilon 3.5 (delta 3e-6)"));
  statement.earlier.epsilon = HUGE_VAL;
  EXPECT_THAT(with_earlier(statement), HasSubstr("no figure covers"));
}

TEST(PrivacyStatement, a_weak_promise_is_called_weak) {
  const auto words = [](double epsilon) {
    const Budget budget(Epsilon(epsilon), Delta(1e-6));
    return all_words(statement_of(budget.spending(), Adjacency::substitute, "one row", "one curator",
                                  "operating system", true));
  };
  EXPECT_THAT(words(30), HasSubstr("weak promise"));
  EXPECT_THAT(words(1), testing::Not(HasSubstr("weak promise")));
}

TEST(PrivacyStatement, noise_that_can_be_repeated_promises_nothing) {
  Budget budget(Epsilon(1), Delta(1e-6));
  const auto s = statement_of(budget.spending(), Adjacency::substitute, "one row", "one curator",
                              "test (seeded)", false);
  const std::string words = all_words(s);
  EXPECT_THAT(words, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(words, HasSubstr("test (seeded)"));
  EXPECT_THAT(words, testing::Not(HasSubstr("e^")));
}

}  // namespace
}  // namespace sotto
