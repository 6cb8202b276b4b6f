// A budget that gives no answer is refused before anything is spent, and no other.
#include "sotto/run/hopeless.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/made_up_rows.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Schema ill_under(Adjacency adjacency) {
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "ill", .kind = ColumnKind::binary}, {.name = "age", .bounds = {20, 80}}};
  return schema;
}

FitConfig budget_of(const std::string& method, double epsilon) {
  return parse_fit_config("", {"data.file=nowhere.csv", "data.schema=x", "privacy.delta=1e-6", "threads=1",
                               "model.formula=\"ill ~ age\"", fmt::format("method.name=\"{}\"", method),
                               fmt::format("privacy.epsilon={}", epsilon)});
}

/// What is said of as many rows; empty where nothing is refused.
std::string refusal(const FitConfig& config, std::size_t rows, Adjacency adjacency = Adjacency::substitute,
                    const std::function<bool(double)>& progress = {}) {
  const Schema schema = ill_under(adjacency);
  const MadeUpProblem table = make_up(config, schema, {.rows = rows, .seed = 99});
  TestEntropy entropy(5);
  try {
    refuse_hopeless(config, table.problem, entropy, progress);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), progress ? ErrorCode::interrupted : ErrorCode::budget);
    return error.what();
  }
  return {};
}

TEST(Hopeless, budgets_are_refused_where_noise_dominates) {
  EXPECT_THAT(refusal(budget_of("auto", 1), 30), HasSubstr("the noise dominates; nothing was spent"));
  EXPECT_THAT(refusal(budget_of("release-once", 0.001), 2000), HasSubstr("or more rows"));
}
TEST(Hopeless, budgets_are_refused_under_which_chains_do_not_converge) {
  EXPECT_THAT(refusal(budget_of("penalty", 1), 500), HasSubstr("the chains do not converge"));
  EXPECT_THAT(refusal(budget_of("penalty", 1), 500), HasSubstr("or the method release-once"));
}
TEST(Hopeless, budgets_that_give_an_answer_are_not_refused) {
  EXPECT_THAT(refusal(budget_of("auto", 1), 2000), IsEmpty());
  EXPECT_THAT(refusal(budget_of("penalty", 1e5), 500), IsEmpty());
}
// Of 400 rows with a mean count of one noise dominates; of those with twelve it does not, and which these are is not known.
TEST(Hopeless, counts_are_not_refused_for_small_means_alone) {
  Schema schema = ill_under(Adjacency::substitute);
  schema.columns.push_back({.name = "visits", .kind = ColumnKind::count, .bounds = {0, 60}});
  FitConfig config = budget_of("auto", 1);
  config.model.family = "poisson";
  config.model.formula = "visits ~ age";
  const MadeUpProblem table = make_up(config, schema, {.rows = 400, .seed = 99});
  TestEntropy entropy(5);
  EXPECT_NO_THROW(refuse_hopeless(config, table.problem, entropy));
  config.epsilon = 0.02;
  EXPECT_THROW(refuse_hopeless(config, table.problem, entropy), Error);
}
// Whatever the rows are, and where their number is not public too.
TEST(Hopeless, chains_of_few_draws_are_told_to_take_more) {
  FitConfig config = budget_of("penalty", 1e5);
  config.method.draws = 49;
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    EXPECT_THAT(refusal(config, 500, adjacency),
                AllOf(HasSubstr("chains of 49 draws"), HasSubstr("nothing was spent"),
                      HasSubstr("Take 50 draws a chain or more"), Not(HasSubstr("made-up"))));
  }
  config.force = true;
  EXPECT_THAT(refusal(config, 500), IsEmpty());
  config.force = false;
  config.method.name = "release-once";
  EXPECT_THAT(refusal(config, 500), IsEmpty());
}
TEST(Hopeless, nothing_is_refused_of_those_who_insist_or_whose_number_of_rows_is_not_public) {
  FitConfig config = budget_of("auto", 1);
  EXPECT_THAT(refusal(config, 30, Adjacency::add_remove), IsEmpty());
  config.force = true;
  EXPECT_THAT(refusal(config, 30), IsEmpty());
  config.force = false;
  config.not_private = true;
  EXPECT_THAT(refusal(config, 30), IsEmpty());
}
/// What is said once a fit of a table of 2,000 rows has released that it has `rows`.
std::string refusal_of(double rows, const FitConfig& config, const Schema& schema) {
  const MadeUpProblem table = make_up(config, schema, {.rows = 2000, .seed = 99});
  TestEntropy entropy(5);
  try {
    refuse_hopeless_of(rows, config, table.problem, entropy);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::budget);
    return error.what();
  }
  return {};
}

TEST(Hopeless, a_released_number_of_rows_is_what_is_rehearsed) {
  const FitConfig config = budget_of("auto", 1);
  const Schema schema = ill_under(Adjacency::add_remove);
  EXPECT_THAT(refusal_of(30, config, schema),
              HasSubstr("as many as a noisy count of the table's says, the noise "
                        "dominates; nothing but that count was paid for"));
  EXPECT_THAT(refusal_of(1999.7, config, schema), IsEmpty());
  FitConfig insists = config;
  insists.force = true;
  EXPECT_THAT(refusal_of(30, insists, schema), IsEmpty());
}
TEST(Hopeless, a_fit_tells_its_number_of_rows_once_it_has_released_it) {
  const FitConfig config = budget_of("auto", 1);
  const auto told = [&](Adjacency adjacency) {
    const MadeUpProblem table = make_up(config, ill_under(adjacency), {.rows = 2000, .seed = 99});
    TestEntropy entropy(5);
    std::vector<double> counts;
    static_cast<void>(
        fit(config, table.problem, entropy, {}, {}, {.rows = [&](double rows) { counts.push_back(rows); }}));
    return counts;
  };
  EXPECT_THAT(told(Adjacency::add_remove), ElementsAre(DoubleNear(2000, 200)));  // 5.3 standard deviations
  EXPECT_THAT(told(Adjacency::substitute), IsEmpty());
}
TEST(Hopeless, a_chain_of_few_draws_is_refused) {
  FitConfig config = budget_of("hmc", 1);
  const MadeUpProblem table = make_up(config, ill_under(Adjacency::substitute), {.rows = 200, .seed = 99});
  EXPECT_NO_THROW(refuse_few_draws(30, config, table.problem));
  try {
    refuse_few_draws(29.9, config, table.problem);
    ADD_FAILURE() << "taken for enough";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::budget);
    EXPECT_THAT(error.what(), HasSubstr("buys about 29 effective draws of all chains together, however many "
                                        "steps they take; only that look was paid for"));
    EXPECT_THAT(error.what(), HasSubstr("Take a larger epsilon, or the method release-once"));
  }
  config.force = true;
  EXPECT_NO_THROW(refuse_few_draws(1, config, table.problem));
}
// All of it is paid for before its look tells what it is worth.
TEST(Hopeless, a_chain_of_batches_is_refused_before_it_pays) {
  const std::string refused = refusal(budget_of("penalty-subsampled", 20), 500);
  EXPECT_THAT(refused, HasSubstr("the budget buys about "));
  EXPECT_THAT(refused, HasSubstr("nothing was spent"));
}
// A tenth of the budget's rho is the look's: what is left is told before any of it is spent.
TEST(Hopeless, a_chain_tells_what_its_budget_buys_once_it_has_looked) {
  const FitConfig config = budget_of("hmc", 100);
  const MadeUpProblem table = make_up(config, ill_under(Adjacency::substitute), {.rows = 2000, .seed = 99});
  TestEntropy entropy(5);
  std::vector<double> told;
  const Prospects prospects{.draws = [&](double draws) {
    told.push_back(draws);
    throw Error(ErrorCode::budget, "few draws");
  }};
  try {
    static_cast<void>(fit(config, table.problem, entropy, {}, {}, prospects));
    ADD_FAILURE() << "went on";
  } catch (const PaidError& ended) {
    EXPECT_STREQ(ended.what(), "few draws");
    EXPECT_GT(ended.privacy().spent_epsilon, 10);
    EXPECT_LT(ended.privacy().spent_epsilon, 30);
  }
  EXPECT_THAT(told, ElementsAre(testing::AllOf(testing::Gt(0), testing::Lt(1000))));
}
// Times at risk are counted as long as they last, and thresholds one by one.
TEST(Hopeless, of_responses_of_many_pieces_the_rows_of_the_table_are_told) {
  Schema schema = ill_under(Adjacency::add_remove);
  schema.columns.push_back({.name = "days", .bounds = {0, 100}});
  schema.columns.push_back(
      {.name = "pain", .kind = ColumnKind::category, .levels = {"none", "some", "much", "more"}});
  for (const auto& [family, formula] :
       {std::pair{"survival", "Surv(days, ill) ~ age"}, std::pair{"ordinal", "pain ~ age"}}) {
    FitConfig config = budget_of("auto", 3);
    config.model.family = family;
    config.model.formula = formula;
    const MadeUpProblem table = make_up(config, schema, {.rows = 2000, .seed = 99});
    TestEntropy entropy(5);
    double rows = 0;
    static_cast<void>(
        fit(config, table.problem, entropy, {}, {}, {.rows = [&](double released) { rows = released; }}));
    EXPECT_NEAR(rows, 2000, 200) << family;
  }
}
TEST(Hopeless, a_rehearsal_can_be_stopped) {
  EXPECT_THAT(refusal(budget_of("penalty", 1), 500, Adjacency::substitute, [](double) { return false; }),
              HasSubstr("stopped: nothing was spent"));
}

}  // namespace
}  // namespace sotto
