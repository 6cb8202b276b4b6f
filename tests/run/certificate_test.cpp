// Certificates of ranks that are even, and of posteriors that are too narrow, too wide or off.
#include "sotto/run/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <numbers>

#include "sotto/random/chain_rng.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

/// Ranks of the truth in posteriors of so many sds' width whose means are off by so many.
RehearsedBudget budget_of(std::size_t tables, double width, double off, std::uint64_t seed) {
  ChainRng rng(seed);
  RehearsedBudget budget;
  for (const char* name : {"a", "b", "c"}) {
    RehearsedParameter parameter{name};
    for (std::size_t r = 0; r < tables; ++r)
      parameter.ranks.push_back(
          boost::math::cdf(boost::math::normal(), (rng.normal() + (name[0] == 'b' ? off : 0)) / width));
    budget.parameters.push_back(parameter);
  }
  return budget;
}

// A false alarm once in a thousand each.
TEST(Certificate, holds_for_posteriors_that_are_right) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Certificate certificate = certify(budget_of(100, 1, 0, seed));
    EXPECT_TRUE(certificate.holds) << certificate.why;
    EXPECT_EQ(certificate.tables, 100U);
    ASSERT_EQ(certificate.parameters.size(), 3U);
    for (const CertifiedParameter& one : certificate.parameters) {
      EXPECT_LT(one.least, one.ninety);
      EXPECT_GT(one.least, one.ninety - 0.12);
      EXPECT_NEAR(one.half, 0.5, 0.22);  // 4.4 standard deviations
    }
  }
}

TEST(Certificate, fails_for_posteriors_that_are_wrong) {
  EXPECT_THAT(certify(budget_of(100, 0.5, 0, 1)).why, testing::HasSubstr("held the truth in"));
  EXPECT_FALSE(certify(budget_of(200, 2.5, 0, 1)).holds) << "too wide";
  const Certificate off = certify(budget_of(100, 1, 1.2, 1));
  EXPECT_FALSE(off.holds);
  EXPECT_THAT(off.why, testing::AllOf(testing::HasSubstr(" b "), testing::Not(testing::HasSubstr(" a "))));
}

// All intervals of five tables hold the truth with probability .59: a lower limit of .55 at the best.
TEST(Certificate, few_tables_show_little) {
  const Certificate few = certify(budget_of(5, 1, 0, 1));
  EXPECT_TRUE(few.holds);
  EXPECT_FALSE(few.shown);
  EXPECT_THAT(certificate_table(few), testing::HasSubstr("NOT REFUTED: 5 tables show little"));
  EXPECT_THAT(certificate_table(few), testing::HasSubstr("(--repeats)"));
  EXPECT_THAT(certificate_table(certify(budget_of(200, 1, 0, 1))), testing::HasSubstr("\nHOLDS: "));
}

TEST(Certificate, says_where_nothing_was_drawn) {
  RehearsedBudget budget;
  budget.why = "the budget pays for no step";
  EXPECT_FALSE(certify(budget).holds);
  EXPECT_THAT(certify(budget).why, testing::HasSubstr("pays for no step"));
}

// The real code, at a budget where most of the variance is noise: 30 tables of 2,000 rows. A sound fit fails once in a thousand.
TEST(Certificate, a_sound_fit_holds) {
  const Schema schema{{{"y", ColumnKind::binary}, {"x", ColumnKind::real, {-1, 1}, {}}}, {}};
  const FitConfig config =
      parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"y ~ x\"", "privacy.delta=1e-6",
                            "privacy.epsilon=0.3", "method.draws=500", "method.chains=2"});
  TestEntropy entropy(7);
  const Rehearsal rehearsal = rehearse(config, schema, {.rows = 2000}, {0.3}, 30, entropy);
  const Certificate certificate = certify(rehearsal.budgets[0]);
  EXPECT_TRUE(certificate.holds) << certificate.why;
  EXPECT_GT(rehearsal.budgets[0].parameters[1].sd_inflation, std::numbers::sqrt2) << "noise is most of it";
}

}  // namespace
}  // namespace sotto
