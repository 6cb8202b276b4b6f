#include "sotto/owner/batch_owner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sotto/kernel/penalty.hpp"
#include "support/one_dimension.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

TEST(BatchOwner, every_set_is_drawn_alike) {
  TestEntropy entropy(3);
  std::map<std::vector<std::size_t>, int> counts;
  for (int i = 0; i < 10000; ++i) {
    auto sample = sample_without_replacement(5, 2, entropy);
    std::sort(sample.begin(), sample.end());
    ++counts[sample];
  }
  ASSERT_EQ(counts.size(), 10u);
  // Each set 1000 times, sd 30: five of them; false alarm below 1e-5.
  for (const auto& [sample, count] : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_THROW((void)sample_without_replacement(5, 6, entropy), Error);
}

// A batch of all rows has no spread over draws: the ratio less half of what a batch of n would be thought to spread.
TEST(BatchOwner, a_release_estimates_the_ratio_less_half_the_batch_variance) {
  const auto values = values_on_the_line(200);
  Budget budget(Epsilon(1e12), Delta(1e-6));
  TestEntropy entropy(1);
  BatchOwner owner(rows_of(values), model_on_the_line(), 200, Protection{}, Reading{.temper = 0.1}, budget,
                   entropy);
  const Query query = RatioQuery{Position::Constant(1, 0.1), Position::Constant(1, 0.4), Rho(1e9)};
  const auto released = std::get<Released<NoisyRatio>>(owner.answer(std::span(&query, 1))[0]).value();
  double sum = 0;
  double squares = 0;
  for (const double x : values) {
    const double r = 0.1 * 0.3 * (x - 0.25);
    sum += r;
    squares += r * r;
  }
  EXPECT_NEAR(released.value, sum - (squares - sum * sum / 200) / 2, 6 * std::sqrt(released.variance) + 1e-8);
  EXPECT_GT(budget.spent().value(), 0.9e9);
  EXPECT_LE(budget.spent().value(), 1e9);
}

TEST(BatchOwner, other_queries_are_errors_and_the_budget_is_kept) {
  Budget budget(Epsilon(0.1), Delta(1e-6));
  TestEntropy entropy(1);
  BatchOwner owner(rows_of({0.1, 0.2, 0.3}), model_on_the_line(), 2, Protection{}, Reading{}, budget,
                   entropy);
  const Query gradient = GradientQuery{Position::Zero(1), Rho(1)};
  EXPECT_THROW((void)owner.answer(std::span(&gradient, 1)), Error);
  const Query dear = RatioQuery{Position::Zero(1), Position::Ones(1), Rho(1)};
  EXPECT_EQ(std::get<Refusal>(owner.answer(std::span(&dear, 1))[0]), Refusal::budget);
  EXPECT_EQ(owner.refusals(std::span(&dear, 1))[0], Refusal::budget);
  EXPECT_EQ(budget.spent().value(), 0);
}

}  // namespace
}  // namespace sotto
