// Several owners' tables in one run: the posterior of all rows together, with the noise of each, at the price of one.
#include "sotto/run/owners.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/run_plan.hpp"
#include "support/recording_ledger.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kOwners = 3;

Schema schema_of_owners(Adjacency adjacency, bool persons) {
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "y", .kind = ColumnKind::binary},
                    {.name = "x", .bounds = {-1, 1}},
                    {.name = "z", .bounds = {-6, 6}}};
  if (persons) schema.unit = {"who", 2};
  return schema;
}

/// Row i of 900, the same whoever owns it.
void append_row(Table& table, std::size_t i) {
  ChainRng rng(71, i);
  const double x = 2 * rng.uniform() - 1;
  const std::string cells[] = {rng.uniform() < 1 / (1 + std::exp(-0.5 - x)) ? "1" : "0", fmt::format("{}", x),
                               fmt::format("{}", 0.7 + rng.normal())};
  table.append(std::vector<std::optional<std::string_view>>{cells[0], cells[1], cells[2]}, std::to_string(i));
}

constexpr std::size_t kAllRows = 900;

/// Owners of unequal size: 100, 300 and 500 rows.
std::vector<Table> tables_of_owners(Adjacency adjacency = Adjacency::substitute, bool persons = false) {
  std::vector<Table> tables;
  const std::size_t ends[] = {0, 100, 400, kAllRows};
  for (std::size_t o = 0; o < kOwners; ++o) {
    tables.emplace_back(schema_of_owners(adjacency, persons));
    for (std::size_t i = ends[o]; i < ends[o + 1]; ++i) append_row(tables.back(), i);
  }
  return tables;
}

Table whole_table(Adjacency adjacency = Adjacency::substitute) {
  Table table(schema_of_owners(adjacency, false));
  for (std::size_t i = 0; i < kAllRows; ++i) append_row(table, i);
  return table;
}

FitConfig owners_config(std::vector<std::string> more, bool several = true) {
  const std::string owners = "[[owner]]\nfile = \"a\"\n[[owner]]\nfile = \"b\"\n[[owner]]\nfile = \"c\"\n";
  more.insert(more.begin(), {"data.schema=x", "privacy.delta=1e-6", "threads=1"});
  if (!several) more.emplace_back("data.file=x");
  return parse_fit_config(several ? owners : "", more);
}

const std::vector<std::string> kLogistic = {"model.formula=\"y ~ x\""};
const std::vector<std::string> kMean = {"model.family=normal-mean", "model.columns=[\"z\"]", "model.sd=[1]"};

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

RunRecord fit_owners(const std::vector<Table>& tables, const std::vector<std::string>& settings,
                     const BookingWriter& writer = {}) {
  const FitConfig config = owners_config(settings);
  TestEntropy entropy(3);
  return fit(config, make_problem(config, tables), entropy, {}, writer);
}

RunRecord fit_whole(const Table& table, const std::vector<std::string>& settings) {
  const FitConfig config = owners_config(settings, false);
  TestEntropy entropy(3);
  return fit(config, make_problem(config, table), entropy);
}

// At budgets whose noise is nothing: a quarter of a standard deviation holds the chains' own errors (at most 0.05 each, seeds
// fixed), where one owner left out moves the mean by more than a standard deviation of what is left.
TEST(Owners, have_the_posterior_of_all_their_rows) {
  const std::vector<Table> tables = tables_of_owners();
  const Table whole = whole_table();
  for (const auto& model : {kLogistic, kMean}) {
    for (const char* method : {"release-once", "penalty", "barker", "hmc"}) {
      const auto settings = with(model, {std::string("method.name=\"") + method + "\"",
                                         "privacy.epsilon=100000", "method.warmup=500", "method.draws=1000"});
      const auto several = summarise(fit_owners(tables, settings).draws);
      const auto one = summarise(fit_whole(whole, settings).draws);
      ASSERT_EQ(several.size(), one.size());
      for (std::size_t j = 0; j < one.size(); ++j) {
        EXPECT_NEAR(several[j].mean, one[j].mean, 0.25 * one[j].sd) << method;
        EXPECT_NEAR(several[j].sd / one[j].sd, 1, 0.2) << method;
      }
    }
  }
}

TEST(Owners, take_no_batches) {
  const auto why = [](const std::vector<Table>& tables) {
    try {
      (void)fit_owners(
          tables, with(kLogistic, {"method.name=\"hmc\"", "privacy.epsilon=1", "method.batch_rate=0.5"}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(why(tables_of_owners()).find("drop method.batch_rate"), std::string::npos);
}

TEST(Owners, each_adds_the_noise_that_one_alone_would) {
  const std::vector<Table> tables = tables_of_owners();
  const Table whole = whole_table();
  const FitConfig config = owners_config(with(kMean, {"privacy.epsilon=1"}));
  const FitConfig alone = owners_config(with(kMean, {"privacy.epsilon=1"}), false);
  const Problem several = make_problem(config, tables);
  const Problem one = make_problem(alone, whole);
  EXPECT_EQ(several.public_info.rows, one.public_info.rows);
  const Query query = GradientQuery{Position::Zero(1), Rho(0.4)};
  const auto released = [&](const FitConfig& of, const Problem& problem, RecordingLedger& ledger) {
    TestEntropy entropy(5);
    const RunPlan plan = make_run_plan(QueryRegime::rows, of, problem, 10, ledger, entropy);
    return std::get<Released<NoisyGradient>>(plan.interface->answer({&query, 1})[0]).value();
  };
  RecordingLedger theirs{Epsilon(5)};
  RecordingLedger its{Epsilon(5)};
  const NoisyGradient sum = released(config, several, theirs);
  const NoisyGradient single = released(alone, one, its);
  EXPECT_NEAR(sum.variance[0], kOwners * single.variance[0], 1e-9 * sum.variance[0]);
  // The true sums are alike: they differ by the noise of both, six standard deviations.
  EXPECT_NEAR(sum.value[0], single.value[0], 6 * std::sqrt(sum.variance[0] + single.variance[0]));
  EXPECT_GT(std::abs(single.value[0]), 20 * std::sqrt(sum.variance[0]));
  ASSERT_EQ(theirs.charges.size(), 1u);  // what any one row pays
  EXPECT_EQ(theirs.charges[0].rho, its.charges[0].rho);
}

/// Times at risk up to 6 of so many lives; life i is the same whoever has it.
Table table_of_lives(std::size_t begin, std::size_t lives) {
  Schema schema;
  schema.columns = {{.name = "t", .bounds = {0, 6}},
                    {.name = "died", .kind = ColumnKind::binary},
                    {.name = "x", .bounds = {-1, 1}}};
  Table table(schema);
  for (std::size_t i = begin; i < begin + lives; ++i) {
    ChainRng rng(73, i);
    const std::string cells[] = {fmt::format("{}", 6 * rng.uniform()), rng.uniform() < 0.5 ? "0" : "1",
                                 fmt::format("{}", 2 * rng.uniform() - 1)};
    table.append(std::vector<std::optional<std::string_view>>{cells[0], cells[1], cells[2]},
                 std::to_string(i));
  }
  return table;
}

// A life is three rows of the design, which move a gradient by three times what one does, whichever owner has it.
TEST(Owners, each_prices_all_pieces_of_a_life) {
  const std::vector<std::string> settings{"model.family=survival", "model.formula=\"Surv(t, died) ~ x\"",
                                          "model.cuts=[1, 3]", "privacy.epsilon=1"};
  const std::vector<Table> tables{table_of_lives(0, 20), table_of_lives(20, 30), table_of_lives(50, 40)};
  const Table whole = table_of_lives(0, 90);
  const Problem several = make_problem(owners_config(settings), tables);
  const Problem one = make_problem(owners_config(settings, false), whole);
  const Query query = GradientQuery{Position::Zero(one.model.dim()), Rho(0.001)};
  const auto variance = [&](QueryInterface&& asked) {
    return std::get<Released<NoisyGradient>>(asked.answer({&query, 1})[0]).value().variance;
  };
  TestEntropy entropy(5);
  Budget books(Epsilon(1), Delta(1e-6));
  const auto alone = [&](const PrivacyUnit& unit) {
    return variance(DataOwner(one.rows(), one.model, unit, {}, books, entropy));
  };
  const Position sum = variance(Owners(several, {}, books, entropy));
  const Position of_one_piece = alone({one.unit.adjacency, 1});
  for (Eigen::Index j = 0; j < sum.size(); ++j) {
    EXPECT_NEAR(sum[j], kOwners * alone(one.unit)[j], 1e-9 * sum[j]) << j;
    EXPECT_NEAR(sum[j], kOwners * 9 * of_one_piece[j], 0.01 * sum[j]) << j;
  }
}

TEST(Owners, cost_one_row_what_it_would_cost_alone) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    std::size_t booked = 0;
    const RunRecord record = fit_owners(tables_of_owners(adjacency), with(kMean, {"privacy.epsilon=1"}),
                                        [&](const Booking&) { ++booked; });
    EXPECT_LE(record.privacy.spent_epsilon, 1);
    EXPECT_GT(record.privacy.spent_epsilon, 0.99);
    std::size_t stated = 0;
    for (const ReleaseLine& line : record.privacy.releases) stated += line.count;
    EXPECT_EQ(booked, stated);
    EXPECT_EQ(record.privacy.privacy_unit, "one row of one owner's table");
    EXPECT_NE(record.privacy.trust_model.find("each of 3 owners"), std::string::npos);
    // Three times the noise is allowed for.
    const auto alone = summarise(fit_whole(whole_table(adjacency), with(kMean, {"privacy.epsilon=1"})).draws);
    const auto several = summarise(record.draws);
    EXPECT_GT(several[0].sd, 1.02 * alone[0].sd);
    EXPECT_LT(std::abs(several[0].mean - alone[0].mean), 6 * several[0].sd);
  }
}

std::string why_not(const std::vector<Table>& tables, const std::vector<std::string>& settings) {
  try {
    static_cast<void>(fit_owners(tables, settings));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(Owners, of_persons_are_refused) {
  EXPECT_NE(why_not(tables_of_owners(Adjacency::substitute, true), with(kMean, {"privacy.epsilon=1"}))
                .find("must be a row"),
            std::string::npos);
}

TEST(Owners, refuse_what_they_cannot_answer) {
  const std::vector<Table> tables = tables_of_owners();
  for (const char* method :
       {"sgld", "penalty-subsampled", "barker-subsampled", "penalty-exponential-family"}) {
    EXPECT_NE(
        why_not(tables, with(kMean, {"privacy.epsilon=1", std::string("method.name=\"") + method + "\""}))
            .find("all of their rows"),
        std::string::npos)
        << method;
  }
  const FitConfig config = owners_config(with(kMean, {"privacy.epsilon=1"}));
  EXPECT_THROW(static_cast<void>(make_problem(config, tables.front())), Error);
  EXPECT_THROW(static_cast<void>(make_problem(config, std::span<const Table>(tables.data(), 1))), Error);
  std::vector<Table> one_empty = tables_of_owners();
  one_empty.emplace_back(schema_of_owners(Adjacency::substitute, false));
  EXPECT_THROW(static_cast<void>(make_problem(config, one_empty)), Error);
}

TEST(Owners, are_named_once) {
  const auto why = [](const std::string& text, const std::vector<std::string>& more) {
    try {
      static_cast<void>(parse_fit_config(text, more));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::vector<std::string> budget{"data.schema=x", "privacy.epsilon=1", "privacy.delta=1e-6"};
  const std::string two = "[[owner]]\nfile = \"a\"\n[[owner]]\nfile = \"b\"\n";
  EXPECT_EQ(why(two, budget), "none");
  EXPECT_NE(why(two, with(budget, {"data.file=x"})).find("both name the rows"), std::string::npos);
  EXPECT_NE(why(two + "[[owner]]\nfile = \"a\"\n", budget).find("the same table"), std::string::npos);
  EXPECT_NE(why(two + "[[owner]]\n", budget).find("needs a file"), std::string::npos);
  EXPECT_NE(why("[owner]\nfile = \"a\"\n", budget).find("[[owner]]"), std::string::npos);
  EXPECT_NE(why("[[owner]]\nfiel = \"a\"\n", budget).find("did you mean file"), std::string::npos);
}

}  // namespace
}  // namespace sotto
