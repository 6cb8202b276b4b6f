// Batches that are cut at a largest size against sums over all batches of small tables.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

enum class Rule {
  at_random,
  last_first,
  first_first
};  // where the row that changes is the last of the table

// Gaussian noise about centres of these weights.
struct Mixture {
  std::vector<std::pair<double, double>> part;  // centre, weight

  [[nodiscard]] double density(double x, double sigma) const {
    double sum = 0;
    for (const auto& [centre, weight] : part)
      sum += weight * std::exp(-std::pow((x - centre) / sigma, 2) / 2);
    return sum / (sigma * std::sqrt(2 * M_PI));
  }
};

double binomial(int n, int k, double rate) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(rate) +
                  (n - k) * std::log1p(-rate));
}

// Probability of more than k out of n.
double beyond(int n, int k, double rate) {
  double sum = 0;
  for (int i = n; i > k; --i) sum += binomial(n, i, rate);
  return sum;
}

// All batches: so many other rows, each of which contributes `other`, and the row that contributes `own`, if it is there.
Mixture batches(int others, double rate, int largest, double other, bool there, double own, Rule rule) {
  Mixture mixture;
  for (int drawn = 0; drawn <= others; ++drawn) {
    const double weight = binomial(others, drawn, rate);
    const double alone = other * std::min(drawn, largest);
    if (!there) {
      mixture.part.emplace_back(alone, weight);
      continue;
    }
    mixture.part.emplace_back(alone, weight * (1 - rate));
    double kept = rule == Rule::at_random    ? static_cast<double>(largest) / (drawn + 1)
                  : rule == Rule::last_first ? 1.0
                                             : 0.0;
    if (drawn < largest) kept = 1;
    mixture.part.emplace_back(alone, weight * rate * (1 - kept));
    mixture.part.emplace_back(other * std::min(drawn, largest - 1) + own, weight * rate * kept);
  }
  return mixture;
}

// Integral of (p - e^epsilon q)_+ over the outputs of one step. The rule is off at the kinks only: by an eighth of a squared step times
// the slope, which is below 1.
constexpr double kIntegral = 4e-7;
double one_step(const Mixture& p, const Mixture& q, double sigma, double epsilon) {
  constexpr int points = 20000;
  const double reach = 8 + 9 * sigma;
  double sum = 0;
  for (int i = 0; i < points; ++i) {
    const double x = reach * (2.0 * i / points - 1);
    sum += std::max(p.density(x, sigma) - std::exp(epsilon) * q.density(x, sigma), 0.0);
  }
  return sum * 2 * reach / points;
}

double two_steps(const Mixture& p, const Mixture& q, double sigma, double epsilon) {
  constexpr int points = 700;
  const double reach = 8 + 7 * sigma;
  std::vector<double> above;
  std::vector<double> below;
  for (int i = 0; i < points; ++i) {
    const double x = reach * (2.0 * i / points - 1);
    above.push_back(p.density(x, sigma));
    below.push_back(q.density(x, sigma));
  }
  double sum = 0;
  for (int i = 0; i < points; ++i) {
    for (int j = 0; j < points; ++j)
      sum += std::max(above[i] * above[j] - std::exp(epsilon) * below[i] * below[j], 0.0);
  }
  return sum * std::pow(2 * reach / points, 2);
}

std::string spec(double sigma, double rate, int rows, int largest, int count = 1) {
  return "truncated-poisson:sigma=" + std::to_string(sigma) + ",rate=" + std::to_string(rate) +
         ",rows=" + std::to_string(rows) + ",largest=" + std::to_string(largest) +
         ",count=" + std::to_string(count);
}

struct Table {
  int rows;
  int largest;
  double rate;
  double sigma;
};
const std::vector<Table> kTables = {{2, 1, 0.5, 1},   {2, 1, 0.1, 2},  {3, 1, 0.9, 1}, {3, 2, 0.5, 0.7},
                                    {5, 2, 0.2, 1.5}, {6, 1, 0.02, 1}, {6, 4, 0.3, 2}, {4, 5, 0.5, 1}};

template <class Ask>
void each_truth(const Table& table, Adjacency adjacency, const Ask& ask) {
  for (const Rule rule : {Rule::at_random, Rule::last_first, Rule::first_first}) {
    for (const double other : {-1.0, 0.0, 1.0}) {
      const bool substitute = adjacency == Adjacency::substitute;
      const int others = table.rows - 1;
      const Mixture with = batches(others, table.rate, table.largest, other, true, 1, rule);
      const Mixture without = batches(others, table.rate, table.largest, other, substitute, -1, rule);
      ask(with, without);
      ask(without, with);
    }
  }
}

TEST(TruncatedPoisson, no_small_table_loses_more) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::substitute}) {
    for (const Table& t : kTables) {
      const Event event = parse_event(spec(t.sigma, t.rate, t.rows, t.largest));
      for (const double epsilon : {0.0, 0.3, 1.0, 2.5}) {
        SCOPED_TRACE(testing::Message() << event_text(event) << " at " << epsilon);
        std::vector<double> prices;
        for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp, BoundKind::zcdp})
          prices.push_back(upper_delta(event, adjacency, Epsilon(epsilon), kind));
        prices.push_back(tight_delta(event, adjacency, Epsilon(epsilon)).upper);
        each_truth(t, adjacency, [&](const Mixture& p, const Mixture& q) {
          const double truth = one_step(p, q, t.sigma, epsilon);
          for (const double price : prices) EXPECT_GE(price, truth - kIntegral);
        });
      }
    }
  }
}

TEST(TruncatedPoisson, no_small_table_loses_more_in_two_steps) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::substitute}) {
    for (const Table& t : {kTables[0], kTables[3], kTables[5]}) {
      const Event event = parse_event(spec(t.sigma, t.rate, t.rows, t.largest, 2));
      for (const double epsilon : {0.3, 2.0}) {
        SCOPED_TRACE(testing::Message() << event_text(event) << " at " << epsilon);
        const double price = tight_delta(event, adjacency, Epsilon(epsilon)).upper;
        each_truth(t, adjacency, [&](const Mixture& p, const Mixture& q) {
          EXPECT_GE(price, two_steps(p, q, t.sigma, epsilon) - 1e-6);
        });
      }
    }
  }
}

// A table that no batch is cut of, and the very bound of the page.
TEST(TruncatedPoisson, both_sides_are_those_of_poisson_batches_but_for_what_overflows) {
  const Event plain = parse_event("subsampled-gaussian:sigma=1,rate=0.01,count=1000");
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::substitute}) {
    const Bounds poisson = tight_delta(plain, adjacency, Epsilon(1));
    // From batches of which some overflow in nearly every job to such as never do.
    for (const int largest : {124, 149, 173, 220}) {
      SCOPED_TRACE(largest);
      const Event event = parse_event(spec(1, 0.01, 10000, largest, 1000));
      const Bounds bounds = tight_delta(event, adjacency, Epsilon(1));
      const double any = -std::expm1(1000 * std::log1p(-beyond(9999, largest - 1, 0.01)));
      EXPECT_GE(bounds.lower, poisson.lower * (1 - 1e-9));
      EXPECT_LE(bounds.lower, poisson.upper);
      EXPECT_GE(bounds.upper, poisson.lower);
      EXPECT_LE(bounds.upper, (1.15 * any + (1 - any) * poisson.upper) * (1 + 1e-6));
    }
  }
  const auto price = [](const std::string& job) {
    return tight_epsilon(parse_event(job), Adjacency::add_remove, Delta(1e-6)).upper;
  };
  const double epsilon = price("subsampled-gaussian:sigma=3,rate=0.01,count=1000");
  EXPECT_EQ(price(spec(3, 0.01, 10000, 10000, 1000)), epsilon);
  EXPECT_NEAR(price(spec(3, 0.01, 10000, 220, 1000)), epsilon, 1e-5);
  // One in 100,000 such jobs has a batch that overflows: paid for as one or two steps.
  EXPECT_LT(price(spec(3, 0.01, 10000, 160, 1000)), 1.05 * epsilon);
  // All steps overflow.
  EXPECT_LT(price(spec(3, 0.01, 10000, 1, 1000)),
            price("subsampled-gaussian:sigma=1.5,rate=0.01,count=1000") * (1 + 1e-9));
}

// Every way gives away no more than it says: steps paid for as such, and all steps are there.
TEST(TruncatedPoisson, every_way_pays_for_all_steps) {
  const Event event = parse_event(spec(1, 0.01, 10000, 140, 5000));
  const std::vector<KeptBack> ways = kept_back(event);
  ASSERT_EQ(ways.size(), 4U);
  EXPECT_GT(ways.front().given_away, 1e-2);
  EXPECT_EQ(ways.back().given_away, 0);
  double before = 2;
  for (const KeptBack& way : ways) {
    EXPECT_LT(way.given_away, before);
    before = way.given_away;
    std::uint64_t steps = 0;
    std::uint64_t overflowing = 0;
    for (const Event& leaf : flatten(way.event)) {
      steps += leaf.count;
      if (std::get<SubsampledGaussianEvent>(leaf.mechanism).clip_norm == 2) overflowing += leaf.count;
    }
    EXPECT_EQ(steps, 5000U);
    const double full = beyond(9999, 139, 0.01);
    EXPECT_GE(way.given_away, beyond(5000, static_cast<int>(overflowing), full) * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace sotto
