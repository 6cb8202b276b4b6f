// A search for rows that add more than was declared to what is answered in its own way: sums of statistics that are kept, and secret
// batches. Models and bounds are those of tests/privacy/sensitivity_search_test.cpp; what is compared are the integers that enter the
// mechanism.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/base/error.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/measurement/statistic.hpp"
#include "sotto/measurement/variance_completed_ratio.hpp"
#include "sotto/model/families.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"
#include "support/searched_models.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

using Integers = Eigen::VectorX<long double>;

/// How much of what was declared somebody reached, by name.
using Shares = std::map<std::string, double>;

void note(Shares& shares, const std::string& name, long double share) {
  double& largest = shares[name];
  largest = std::max(largest, static_cast<double>(share));
}

void expect_reached(const Shares& shares, double least) {
  for (const auto& [name, share] : shares) {
    EXPECT_GT(share, least) << name;
    testing::Test::RecordProperty(name, std::to_string(share));
  }
}

/// Any model, whose rows are not in pieces: batches protect single rows.
SearchedModel some_single_rows(ChainRng& rng) {
  SearchedModel any = some_model(rng.below(3), rng);
  while (any.pieces().count > 1) any = some_model(rng.below(3), rng);
  return any;
}

template <RowStatistic S>
void search_statistic(const std::string& name, const S& statistic, const std::vector<Interval>& bounds,
                      ChainRng& rng, Shares& shares) {
  TestEntropy entropy(1);
  const Query query = StatisticQuery{Rho(0.01)};
  const PrivacyUnit unit{.adjacency = rng.below(2) == 0 ? Adjacency::substitute : Adjacency::add_remove,
                         .rows_per_unit = rng.below(3) == 0 ? std::size_t{5} : std::size_t{1}};
  double declared = 0;
  const auto somebody = [&] {
    const Record all = some_records(
        some_number(unit, rng), [&] { return Record{some_values(bounds, rng)}; }, rng);
    const auto measured = measure_statistic(rows_of(all, bounds.size()), statistic, unit, 1)(query);
    declared = measured->parts[0].charge.sensitivity;
    return contribution(measured->parts[0], Rows(0, bounds.size()), entropy);
  };
  const bool exchanged = unit.adjacency == Adjacency::substitute;
  for (int pair = 0; pair < 6; ++pair) {
    Integers moved = somebody();
    if (exchanged && pair % 3 != 0) moved -= somebody();
    ASSERT_LE(moved.norm(), declared) << name << ", bounds " << bounds[0].lower << " .. " << bounds[0].upper;
    note(shares, name + (exchanged ? " exchanged" : " left out"), moved.norm() / declared);
  }
}

/// None: its ranges are not finite, and it is refused.
template <ExponentialFamily F>
std::optional<StandardStatistic<F>> standard(const F& family) {
  try {
    return StandardStatistic<F>(family);
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(BatchSearch, no_unit_moves_a_statistic_by_more_than_declared) {
  ChainRng rng(1);
  Shares shares;
  std::size_t refused = 0;
  const auto search_family = [&](const std::string& name, const auto& family,
                                 const std::vector<Interval>& bounds) {
    const auto statistic = standard(family);
    refused += statistic ? 0 : 1;
    if (statistic) search_statistic(name, *statistic, bounds, rng, shares);
  };
  for (int trial = 0; trial < 600 && !HasFatalFailure(); ++trial) {
    const Interval one = some_bounds(rng);
    const Interval two = some_bounds(rng);
    const Interval counts{0, pick({1, 1.1, 20, 1e15, 1e300}, rng)};
    search_family("normal", NormalFamily{one}, {one});
    search_family("Bernoulli", BernoulliFamily{}, {{0, 1}});
    search_family("Poisson", PoissonFamily{counts.upper}, {counts});
    search_family("regression", LinearRegressionFamily{{{1, 1}, one, two}}, {{1, 1}, one, two});
    search_family("regression of known sigma", LinearRegressionFamily{{one, two}, 2.0}, {one, two});
    search_family("normal mean", LocationFamily(LocationModel({one, two}, Matrix::Identity(2, 2))),
                  {one, two});
    const Interval positive = some_positive_bounds(rng);
    search_family("gamma", distribution::Gamma(positive), {positive});
    const std::size_t levels = 2 + rng.below(4);
    search_statistic("categories", distribution::Categorical(levels), {{0, static_cast<double>(levels - 1)}},
                     rng, shares);
  }
  EXPECT_LT(refused, 400u);  // of 4,200: whose squares are not finite
  expect_reached(shares, 0.5);
}

// The batch holds every row: what one adds, and what its exchange or leaving out moves, is what it would add to any batch.
TEST(BatchSearch, no_row_adds_more_to_a_batch_gradient_than_its_noise_covers) {
  ChainRng rng(2);
  TestEntropy entropy(2);
  Shares shares;
  for (int trial = 0; trial < 2000; ++trial) {
    const SearchedModel searched = some_single_rows(rng);
    const PrivacyUnit unit{.adjacency = rng.below(2) == 0 ? Adjacency::substitute : Adjacency::add_remove};
    const BatchPlan plan{.rate = 1, .noise_multiplier = pick({0.5, 1, 20}, rng), .count = 1};
    Budget budget(Epsilon(1e3), Delta(1e-6));
    const Measure measure =
        measure_batches({searched.model, unit, pick({1, 0.01}, rng)}, plan, budget, Epsilon(1));
    const Query query = BatchGradientQuery{somewhere(searched, rng), plan.rate, plan.noise_multiplier,
                                           some_scale(searched.model.dim(), rng)};
    const auto measured = measure(query);
    if (!measured) continue;
    const Measurement& part = measured->parts[0];
    const long double covered = part.charge.noise_sd / plan.noise_multiplier;
    for (int pair = 0; pair < 6; ++pair) {
      Integers moved =
          contribution(part, rows_of(some_record(searched, rng), searched.bounds.size()), entropy);
      ASSERT_LE(moved.norm(), covered)
          << "bounds " << searched.bounds[0].lower << " .. " << searched.bounds[0].upper;
      note(shares, "one row", moved.norm() / covered);
      if (unit.adjacency == Adjacency::substitute)
        moved -= contribution(part, rows_of(some_record(searched, rng), searched.bounds.size()), entropy);
      ASSERT_LE(moved.norm(), part.charge.sensitivity);
      note(shares, unit.adjacency == Adjacency::substitute ? "exchanged" : "left out",
           moved.norm() / part.charge.sensitivity);
    }
  }
  expect_reached(shares, 0.9);
}

/// Tables that differ in their first row, from both of which one batch is drawn.
struct Neighbours {
  std::size_t batch;
  Rows here, there;
};

Neighbours some_neighbours(const SearchedModel& searched, ChainRng& rng) {
  const std::size_t count = 2 + rng.below(11);
  const std::size_t batch = 1 + rng.below(count);
  Record all = some_records(
      count, [&] { return some_record(searched, rng); }, rng);
  Rows here = rows_of(all, searched.bounds.size());
  all[0] = some_record(searched, rng)[0];
  return {batch, std::move(here), rows_of(all, searched.bounds.size())};
}

/// The question, its step shortened until it is answered, or none.
std::optional<Query> longest_answered(const Measure& measure, const RatioQuery& asked) {
  const auto shorter = [&](double share) {
    RatioQuery query = asked;
    query.to = asked.from + share * (asked.to - asked.from);
    return Query(query);
  };
  double most = 1;
  for (int half = 0; half < 60 && !measure(shorter(most)); ++half) most /= 2;
  if (!measure(shorter(most))) return std::nullopt;
  for (double step = most / 2; step > most / 1024; step /= 2) {
    if (measure(shorter(most + step))) most += step;
  }
  return shorter(most);
}

TEST(BatchSearch, no_exchange_moves_a_batch_ratio_by_more_than_declared) {
  ChainRng rng(3);
  Shares shares;
  for (int trial = 0; trial < 3000; ++trial) {
    const SearchedModel searched = some_single_rows(rng);
    const OwnerContext context{searched.model, {}, pick({1, 0.01}, rng), rng.below(4) == 0};
    const auto [batch, here, there] = some_neighbours(searched, rng);
    const RatioQuery asked{somewhere(searched, rng), somewhere(searched, rng), Rho(0.01)};
    const Measure measure = measure_batch_ratios(here, context, batch);
    const auto query = longest_answered(measure, asked);
    if (!query) continue;
    const auto measured = measure(*query);
    const auto other = measure_batch_ratios(there, context, batch)(*query);
    const Charge& charge = measured->parts[0].charge;
    ASSERT_EQ(other->parts[0].charge.sensitivity, charge.sensitivity);
    TestEntropy one(static_cast<std::uint64_t>(trial));
    TestEntropy same(static_cast<std::uint64_t>(trial));
    const Integers moved =
        contribution(measured->parts[0], here, one) - contribution(other->parts[0], there, same);
    ASSERT_LE(moved.norm(), charge.sensitivity);
    note(shares, batch == here.rows() ? "all rows" : "a batch", moved.norm() / charge.sensitivity);
  }
  expect_reached(shares, 0.9);
}

// The rows' changes themselves are what its mechanism takes: of the exchanged row alone it is another, and none is beyond the plan's bound.
TEST(BatchSearch, no_row_is_beyond_the_bound_of_a_variance_completed_ratio) {
  ChainRng rng(4);
  Shares shares;
  for (int trial = 0; trial < 1000; ++trial) {
    const SearchedModel searched = some_single_rows(rng);
    const OwnerContext context{searched.model, {}, pick({1, 0.01}, rng)};
    const auto [batch, here, there] = some_neighbours(searched, rng);
    const VarianceCompletedPlan plan =
        VarianceCompletedPlan::for_share(here.rows(), batch, pick({0.1, 1}, rng));
    const RatioQuery asked{somewhere(searched, rng), somewhere(searched, rng), Rho(0.01), std::sqrt(2.0)};
    Budget budget(Epsilon(1e6), Delta(1e-6));
    Budget other_budget(Epsilon(1e6), Delta(1e-6));
    if (std::isinf(upper_epsilon(plan.event(1), Adjacency::substitute, Delta(1e-6), BoundKind::rdp))) {
      EXPECT_THROW((void)measure_variance_completed_ratios(here, context, plan, 1, budget), Error);
      continue;
    }
    const Measure measure = measure_variance_completed_ratios(here, context, plan, 1, budget);
    const Measure other = measure_variance_completed_ratios(there, context, plan, 1, other_budget);
    const auto query = longest_answered(measure, asked);
    if (!query) continue;
    TestEntropy one(static_cast<std::uint64_t>(trial));
    TestEntropy same(static_cast<std::uint64_t>(trial));
    const Integers changes = contribution(measure(*query)->parts[0], here, one);
    const Integers others = contribution(other(*query)->parts[0], there, same);
    ASSERT_EQ(changes.size(), static_cast<Eigen::Index>(batch));
    ASSERT_LE(std::max(changes.cwiseAbs().maxCoeff(), others.cwiseAbs().maxCoeff()), plan.bound);
    ASSERT_LE(((changes - others).array() != 0).count(), 1);
    note(shares, "one row", changes.cwiseAbs().maxCoeff() / static_cast<long double>(plan.bound));
  }
  expect_reached(shares, 0.9);
}

}  // namespace
}  // namespace sotto
