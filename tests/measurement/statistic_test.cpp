#include "sotto/measurement/statistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "sotto/ledger/budget.hpp"
#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/distribution/gamma.hpp"
#include "sotto/model/families.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/federation.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Rows cells_of(const std::vector<std::vector<double>>& values) {
  Rows rows(values.size(), values[0].size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values[i].size(); ++j) rows.at(i, j) = values[i][j];
    rows.weight(i) = 1;
  }
  return rows;
}

NoisyStatistic ask(QueryInterface& owner, Rho cost) {
  const Query query = StatisticQuery{cost};
  return std::get<Released<NoisyStatistic>>(owner.answer(std::span(&query, 1))[0]).value();
}

// The log likelihood from a release with hardly any noise, against the sum of log densities.
template <RowStatistic S, class LogDensity>
void expect_log_likelihood_of(const S& statistic, const std::vector<std::vector<double>>& values,
                              const Position& from, const Position& to, const LogDensity& log_density) {
  Budget budget(Epsilon(1e15), Delta(1e-6));
  TestEntropy entropy(3);
  DataOwner owner(measure_statistic(cells_of(values), statistic, PrivacyUnit{}, 1), budget, entropy);
  const NoisyStatistic released = ask(owner, Rho(1e12));
  double expected = 0;
  for (const auto& row : values) expected += log_density(row, to) - log_density(row, from);
  const Position change = statistic.coefficients(to) - statistic.coefficients(from);
  const double sd = std::sqrt(change.cwiseAbs2().dot(released.variance));
  EXPECT_NEAR(change.dot(released.value), expected, 6 * sd + 1e-9);
  EXPECT_LT(sd, 1e-3);
}

template <ExponentialFamily F, class LogDensity>
void expect_log_likelihood(F family, const std::vector<std::vector<double>>& values, const Position& from,
                           const Position& to, const LogDensity& log_density) {
  expect_log_likelihood_of(StandardStatistic<F>(family), values, from, to, log_density);
}

double normal_log_density(double y, double mean, double log_sd) {
  return -log_sd - (y - mean) * (y - mean) / 2 * std::exp(-2 * log_sd);
}

TEST(Statistic, families_have_the_log_densities_of_their_names) {
  using Row = std::vector<double>;
  expect_log_likelihood(NormalFamily{{-2, 5}}, {{0.3}, {-1.9}, {4}}, Position{{0, 0}}, Position{{0.7, 0.4}},
                        [](const Row& y, const Position& x) { return normal_log_density(y[0], x[0], x[1]); });
  expect_log_likelihood(BernoulliFamily{}, {{1}, {0}, {1}}, Position{{0.2}}, Position{{-3}},
                        [](const Row& y, const Position& x) {
                          const double p = 1 / (1 + std::exp(-x[0]));
                          return std::log(y[0] == 1 ? p : 1 - p);
                        });
  expect_log_likelihood(PoissonFamily{20}, {{4}, {0}, {7}}, Position{{0.2}}, Position{{1.4}},
                        [](const Row& y, const Position& x) { return y[0] * x[0] - std::exp(x[0]); });
  expect_log_likelihood(distribution::Gamma({0.1, 9}), {{0.4}, {2}, {7}}, Position{{0.2, 0.1}},
                        Position{{0.5, -0.3}}, [](const Row& y, const Position& x) {
                          const double shape = std::exp(x[1]);
                          const double rate = shape / std::exp(x[0]);
                          return shape * std::log(rate) - std::lgamma(shape) + (shape - 1) * std::log(y[0]) -
                                 rate * y[0];
                        });
  expect_log_likelihood_of(distribution::Categorical(3), {{0}, {2}, {1}, {2}}, Position{{0.2, 0.1}},
                           Position{{1.5, -0.3}}, [](const Row& y, const Position& x) {
                             const double odds[] = {1, std::exp(x[0]), std::exp(x[1])};
                             return std::log(odds[static_cast<int>(y[0])] / (odds[0] + odds[1] + odds[2]));
                           });
  expect_log_likelihood(LinearRegressionFamily{{{1, 1}, {-1, 3}, {-5, 5}}},
                        {{1, 0.5, 2}, {1, -1, -4}, {1, 3, 1}}, Position{{0, 0, 0}},
                        Position{{0.5, -0.2, 0.3}}, [](const Row& y, const Position& x) {
                          return normal_log_density(y[2], x[0] * y[0] + x[1] * y[1], x[2]);
                        });
  expect_log_likelihood(LinearRegressionFamily{{{1, 1}, {-1, 3}, {-5, 5}}, 2.0},
                        {{1, 0.5, 2}, {1, -1, -4}, {1, 3, 1}}, Position{{0, 0}}, Position{{0.5, -0.2}},
                        [](const Row& y, const Position& x) {
                          return normal_log_density(y[2], x[0] * y[0] + x[1] * y[1], std::log(2.0));
                        });
  Matrix precision(2, 2);
  precision << 2, 0.5, 0.5, 1;
  const Bend bend{0.7, 0.1, -0.4};
  expect_log_likelihood(LocationFamily(LocationModel({{-2, 2}, {-3, 4}}, precision, bend)),
                        {{0.3, 1}, {-2, 4}, {1.5, -2.5}}, Position{{0.1, 0.2}}, Position{{-0.6, 0.9}},
                        [&](const Row& y, const Position& x) {
                          const Position residual = Position{{y[0], y[1]}} - bend.mean(x);
                          return -residual.dot(precision * residual) / 2;
                        });
}

TEST(Statistic, price_is_paid_and_noise_is_fresh) {
  Budget budget(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(
      measure_statistic(cells_of({{1}, {0}}), StandardStatistic(BernoulliFamily{}), PrivacyUnit{}, 1), budget,
      entropy);
  const NoisyStatistic first = ask(owner, Rho(1e-3));
  const NoisyStatistic second = ask(owner, Rho(1e-3));
  EXPECT_NE(first.value[1], second.value[1]);
  EXPECT_NEAR(budget.spent().value(), 2e-3, 4e-6);
  EXPECT_LE(budget.spent().value(), 2e-3);
  // The entry's reach is 1/2 (scale 1 around 1/2). Substituted: it moves by 1. Left out: by |(1, 1/2)|, which
  // is more.
  EXPECT_NEAR(first.variance[0] / (1.25 / 2e-3), 1, 2e-3);
  // variance per step^2 times quantum per step is a whole number
  const double whole = first.variance[0] * 0x1p80 * (first.quantum[0] * 0x1p-40);
  EXPECT_EQ(whole, std::nearbyint(whole));
  EXPECT_LT(first.quantum[0], 1e-9);
  const Query too_much = StatisticQuery{Rho(1)};
  EXPECT_EQ(std::get<QueryStatus>(owner.answer(std::span(&too_much, 1))[0]), QueryStatus::budget);
}

TEST(Statistic, rows_outside_the_bounds_count_as_the_nearest_bound) {
  Budget budget(Epsilon(1e15), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(
      measure_statistic(cells_of({{100}, {NAN}}), StandardStatistic(NormalFamily{{-1, 1}}), PrivacyUnit{}, 1),
      budget, entropy);
  const NoisyStatistic released = ask(owner, Rho(1e12));
  EXPECT_NEAR(released.value[0], 2, 1e-4);
  EXPECT_NEAR(released.value[1], 0.5, 1e-4);  // 1 over the scale 2; NaN gives 0
}

TEST(Statistic, a_dropped_row_contributes_nothing) {
  Budget budget(Epsilon(1e15), Delta(1e-6));
  TestEntropy entropy(1);
  Rows rows = cells_of({{0.5}, {1}});
  rows.weight(1) = 0;
  DataOwner owner(measure_statistic(rows, StandardStatistic(NormalFamily{{-1, 1}}), PrivacyUnit{}, 1), budget,
                  entropy);
  const NoisyStatistic released = ask(owner, Rho(1e12));
  EXPECT_NEAR(released.value[0], 1, 1e-4);
  EXPECT_NEAR(released.value[1], 0.25, 1e-4);
}

TEST(Statistic, several_owners_add_and_keep_the_coarser_quantum) {
  Budget a(Epsilon(10), Delta(1e-6));
  Budget b(Epsilon(10), Delta(1e-6));
  TestEntropy entropy(1);
  const StandardStatistic statistic{BernoulliFamily{}};
  DataOwner first(measure_statistic(cells_of({{1}}), statistic, PrivacyUnit{}, 1), a, entropy);
  DataOwner second(measure_statistic(cells_of({{0}}), statistic, PrivacyUnit{.rows_per_unit = 64}, 1), b,
                   entropy);
  Federation both({&first, &second});
  const NoisyStatistic sum = ask(both, Rho(0.1));
  EXPECT_NEAR(sum.variance[0] / (1.25 * (1 + 64.0 * 64) / 0.2), 1, 2e-3);
  EXPECT_EQ(sum.quantum[0], std::max(ask(first, Rho(0.1)).quantum[0], ask(second, Rho(0.1)).quantum[0]));
}

// The largest change of the integers that one unit's rows can make, over rows at and beyond the ends of their bounds and rows that
// are left out, against what is declared. `least`: how much of it an exchange reaches at least.
template <RowStatistic S>
void expect_declared(const S& statistic, const std::vector<double>& values, double least) {
  const auto entries = [&](double value) {
    std::vector<double> raw(statistic.size());
    std::vector<std::int64_t> steps(statistic.size());
    statistic.entries(std::span(&value, 1), 1 / kStatisticGrid, raw, steps);
    Position result(static_cast<Eigen::Index>(steps.size()));
    std::copy(steps.begin(), steps.end(), result.begin());
    return result;
  };
  double left_out = 0;
  double exchanged = 0;
  for (const double a : values) {
    left_out = std::max(left_out, entries(a).norm());
    for (const double b : values) exchanged = std::max(exchanged, (entries(a) - entries(b)).norm());
  }
  ASSERT_GT(exchanged, 1.2 * left_out);  // what adding or removing costs would not do
  for (const std::size_t rows : {1, 5}) {
    const auto declared = [&](Adjacency adjacency) {
      return statistic_noise(statistic.size(), statistic.bound(), {adjacency, rows}, Rho(0.01))
          .noise.sensitivity;
    };
    const auto k = static_cast<double>(rows);
    EXPECT_LE(k * std::max(left_out, exchanged), declared(Adjacency::substitute));
    EXPECT_LE(k * left_out, declared(Adjacency::add_remove));
    EXPECT_GT(k * exchanged, least * declared(Adjacency::substitute));
  }
}

TEST(Statistic, no_unit_moves_the_sum_by_more_than_declared) {
  expect_declared(StandardStatistic(NormalFamily{{-2, 5}}), {-2, 5, 1.5, 0, -1e9, 1e9, NAN}, 0.8);
  expect_declared(distribution::Categorical(3), {0, 1, 2, 3, -1, 0.5, 1e9, NAN}, 0.999);
  expect_declared(StandardStatistic(distribution::Gamma({0.1, 9})), {0.1, 9, 1, 0, -1, 1e9, NAN}, 0.8);
}

// Bounds that are no whole number of steps: a clamp rounds towards the middle.
TEST(Statistic, no_entry_is_beyond_the_reach_that_is_priced) {
  const StandardStatistic<PoissonFamily> statistic(PoissonFamily{1.1});
  const double reach = statistic.reach()[1] / kStatisticGrid;
  for (const double value : {-1e9, 1e9}) {
    double raw = 0;
    std::vector<std::int64_t> steps(2);
    statistic.entries(std::span(&value, 1), 1 / kStatisticGrid, std::span(&raw, 1), steps);
    EXPECT_LE(std::abs(static_cast<double>(steps[1])), reach);
  }
}

}  // namespace
}  // namespace sotto
