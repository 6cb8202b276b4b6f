#include "sotto/owner/federation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/ledger/budget.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Rows rows_of(std::initializer_list<double> values) {
  Rows rows(values.size(), 1);
  std::size_t i = 0;
  for (const double value : values) {
    rows.at(i, 0) = value;
    rows.weight(i++) = 1;
  }
  return rows;
}

const LocationModel kModel({{-1, 1}}, Matrix::Identity(1, 1));
const Position kFrom = Position::Constant(1, 0.1);
const Position kTo = Position::Constant(1, 0.3);

TEST(Federation, values_and_variances_add) {
  Budget first(Epsilon(1e9), Delta(1e-6));
  Budget second(Epsilon(1e9), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner a(rows_of({0.5, -0.2}), kModel, PrivacyUnit{}, ExecutionOptions{}, first, entropy);
  DataOwner b(rows_of({0.9}), kModel, PrivacyUnit{.adjacency = Adjacency::add_remove}, ExecutionOptions{},
              second, entropy);
  Federation both({&a, &b});
  const Query query = RatioQuery{kFrom, kTo, Rho(1e6)};
  const auto answers = both.answer(std::span(&query, 1));
  const NoisyRatio sum = std::get<Released<NoisyRatio>>(answers[0]).value();
  // The ratio of a row is (to - from) (x - 0.2): range 0.2 * [-1.2, 0.8].
  const double variance_a = 0.4 * 0.4 / 2e6;
  const double variance_b = 0.24 * 0.24 / 2e6;
  EXPECT_NEAR(sum.variance / (variance_a + variance_b), 1, 1e-3);  // the grid rounds up
  EXPECT_NEAR(sum.value, 0.2 * (0.3 - 0.4 + 0.7), 6 * std::sqrt(sum.variance));
  EXPECT_NEAR(first.spent().value() / 1e6, 1, 1e-3);
  EXPECT_NEAR(second.spent().value() / 1e6, 1, 1e-3);
}

TEST(Federation, what_one_refuses_costs_nobody) {
  Budget rich(Epsilon(10), Delta(1e-6));
  Budget poor(Epsilon(0.5), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner a(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, rich, entropy);
  DataOwner b(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, poor, entropy);
  Federation both({&a, &b});
  const double affordable = both.left().value();
  EXPECT_EQ(affordable, poor.left().value());
  const std::vector<Query> queries = {RatioQuery{kFrom, kTo, Rho(0.6 * affordable)},
                                      RatioQuery{kFrom, kTo, Rho(0.6 * affordable)},
                                      GradientQuery{kFrom, Rho(0.3 * affordable)}};
  const auto answers = both.answer(queries);
  EXPECT_TRUE(std::holds_alternative<Released<NoisyRatio>>(answers[0]));
  EXPECT_EQ(std::get<QueryStatus>(answers[1]), QueryStatus::budget);
  EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(answers[2]));
  EXPECT_NEAR(rich.spent().value(), poor.spent().value(), 1e-12);
  EXPECT_LE(rich.spent().value(), 0.9 * affordable);
}

TEST(Federation, what_one_refuses_costs_nobody_wherever_that_one_stands) {
  TestEntropy entropy(1);
  for (const bool first : {true, false}) {
    Budget rich(Epsilon(10), Delta(1e-6));
    Budget poor(Epsilon(0.5), Delta(1e-6));
    DataOwner a(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, rich, entropy);
    DataOwner b(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, poor, entropy);
    Federation both(first ? std::vector<QueryInterface*>{&b, &a} : std::vector<QueryInterface*>{&a, &b});
    const Query query = RatioQuery{kFrom, kTo, Rho(1.1 * poor.left().value())};
    EXPECT_EQ(both.refusals(std::span(&query, 1))[0], QueryStatus::budget) << first;
    EXPECT_EQ(std::get<QueryStatus>(both.answer(std::span(&query, 1))[0]), QueryStatus::budget) << first;
    EXPECT_EQ(rich.spent().value(), 0) << first;
  }
}

TEST(Federation, a_position_out_of_range_is_so_even_without_budget) {
  Budget rich(Epsilon(10), Delta(1e-6));
  Budget none(Epsilon(0), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner a(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, rich, entropy);
  DataOwner b(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, none, entropy);
  Federation both({&a, &b});
  const std::vector<Query> queries = {RatioQuery{kFrom, Position::Constant(1, 1e30), Rho(0.01)},
                                      RatioQuery{kFrom, kTo, Rho(0.01)}};
  const auto answers = both.answer(queries);
  EXPECT_EQ(std::get<QueryStatus>(answers[0]), QueryStatus::out_of_range);
  EXPECT_EQ(std::get<QueryStatus>(answers[1]), QueryStatus::budget);
  EXPECT_EQ(rich.spent().value(), 0);
}

// Two owners share their books, which pay for one answer: the second of the two refuses only once it is asked.
TEST(Federation, what_one_refuses_when_asked_has_no_answer_wherever_it_stands) {
  const double whole = Budget(Epsilon(1), Delta(1e-6)).left().value();
  const Query query = RatioQuery{kFrom, kTo, Rho(0.6 * whole)};
  TestEntropy entropy(1);
  for (std::size_t alone = 0; alone < 3; ++alone) {
    Budget shared(Epsilon(1), Delta(1e-6));
    Budget own(Epsilon(1), Delta(1e-6));
    const auto owner_with = [&](Budget& budget) {
      return DataOwner(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
    };
    DataOwner first = owner_with(shared);
    DataOwner second = owner_with(shared);
    DataOwner other = owner_with(own);
    std::vector<QueryInterface*> owners = {&first, &second};
    owners.insert(owners.begin() + static_cast<std::ptrdiff_t>(alone), &other);
    Federation all(owners);
    ASSERT_EQ(all.refusals(std::span(&query, 1))[0], std::nullopt);
    const auto answers = all.answer(std::span(&query, 1));
    ASSERT_TRUE(std::holds_alternative<QueryStatus>(answers[0])) << "the other owner is number " << alone;
    EXPECT_EQ(std::get<QueryStatus>(answers[0]), QueryStatus::budget);
  }
}

TEST(Federation, has_left_what_its_poorest_owner_has_wherever_that_one_stands) {
  Budget poor(Epsilon(0.5), Delta(1e-6));
  Budget middle(Epsilon(1), Delta(1e-6));
  Budget rich(Epsilon(10), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner a(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, poor, entropy);
  DataOwner b(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, middle, entropy);
  DataOwner c(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, rich, entropy);
  const double least = poor.left().value();
  EXPECT_EQ(Federation({&a, &b, &c}).left().value(), least);
  EXPECT_EQ(Federation({&b, &a, &c}).left().value(), least);
  EXPECT_EQ(Federation({&c, &b, &a}).left().value(), least);
}

TEST(Federation, a_fixed_noise_has_the_size_that_was_asked_for) {
  Budget budget(Epsilon(1e3), Delta(1e-6));
  TestEntropy entropy(1);
  DataOwner owner(rows_of({0.5}), kModel, PrivacyUnit{}, ExecutionOptions{}, budget, entropy);
  const Query query = RatioQuery{kFrom, kTo, Rho(0), 1.5};
  const auto answers = owner.answer(std::span(&query, 1));
  EXPECT_EQ(std::get<Released<NoisyRatio>>(answers[0]).value().variance, 2.25);
  EXPECT_NEAR(budget.spent().value(), 0.4 * 0.4 / (2 * 2.25), 1e-6);
}

}  // namespace
}  // namespace sotto
