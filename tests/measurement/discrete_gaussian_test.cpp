#include "sotto/measurement/discrete_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/measurement/price.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

ExactSum one_entry(std::int64_t value) {
  ExactSum sum(1);
  sum.add(std::span<const std::int64_t>(&value, 1));
  return sum;
}

TEST(GaussianNoise, cost_matches_formula) {
  GaussianNoise noise;
  noise.sensitivity = 300;
  noise.variance = 45000;
  noise.entries = 4;
  const Charge charge = noise.charge("test");
  EXPECT_GE(charge.rho.value(), 1.0);
  EXPECT_NEAR(charge.rho.value(), 1.0, 1e-13);
  EXPECT_NEAR(charge.slack, 300.0 * 2 / 45000, 1e-15);
}

TEST(GaussianNoise, variance_never_costs_more_than_asked) {
  for (const double sensitivity : {32.0, 1e5, 3.3e12}) {
    for (const double cost : {1e-5, 0.03, 7.0}) {
      for (const int shift : {0, 40}) {
        const GaussianNoise::Integer multiple = GaussianNoise::Integer(1) << shift;
        GaussianNoise noise;
        noise.sensitivity = sensitivity;
        noise.variance = GaussianNoise::variance_for(sensitivity, Rho(cost), multiple).value();
        EXPECT_LE(noise.charge("test").rho.value(), cost);
        EXPECT_EQ(noise.variance % multiple, 0);
      }
    }
  }
}

TEST(Price, ratio_noise_is_a_whole_multiple_of_the_grid) {
  const auto range = contribution_range({-0.4, 0.7});
  ASSERT_TRUE(range);
  const GaussianNoise noise = ratio_noise(*range, {Adjacency::substitute, 3}, Rho(0.01)).value();
  EXPECT_EQ(noise.variance % (GaussianNoise::Integer(1) << 40), 0);
  EXPECT_GE(noise.sensitivity * noise.grid.value(), 3 * 1.1);
  EXPECT_NEAR(noise.sensitivity * noise.grid.value(), 3 * 1.1, 1e-5);
  const GaussianNoise added = ratio_noise(*range, {Adjacency::add_remove, 3}, Rho(0.01)).value();
  EXPECT_NEAR(added.sensitivity * added.grid.value(), 3 * 0.7, 1e-5);
}

TEST(Price, refuses_ranges_that_do_not_fit) {
  EXPECT_FALSE(contribution_range({-1, 1e9}));
  EXPECT_FALSE(contribution_range({NAN, NAN}));
  EXPECT_FALSE(contribution_range({-HUGE_VAL, HUGE_VAL}));
  EXPECT_FALSE(ratio_noise(contribution_range({-400, 400}).value(), {}, Rho(1e-6)));  // beyond the sampler
  EXPECT_FALSE(vector_noise({HUGE_VAL, HUGE_VAL}, 3, {}, Rho(1)));
  EXPECT_FALSE(vector_noise({NAN, NAN}, 3, {}, Rho(1)));
}

TEST(DiscreteGaussianMechanism, adds_noise_of_the_stated_variance) {
  Budget budget(Epsilon(1e6), Delta(1e-6));
  TestEntropy entropy(4);
  DiscreteGaussianMechanism mechanism(entropy);
  GaussianNoise noise;
  noise.sensitivity = 1;
  noise.variance = 1'000'000;
  noise.grid = GridStep(0.25);
  constexpr int count = 20000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const NoisyRatio ratio =
        mechanism.release_ratio(*budget.spend(noise.charge("test")), one_entry(400), noise).value();
    EXPECT_EQ(ratio.variance, 62500);
    const double z = (ratio.value - 100) / 250;
    sum += z;
    squares += z * z;
  }
  // 4.5 standard errors: a false alarm in 1.5e5 runs of each, were the entropy not fixed.
  EXPECT_LT(std::abs(sum / count), 4.5 / std::sqrt(count));
  EXPECT_LT(std::abs(squares / count - 1), 4.5 * std::sqrt(2.0 / count));
}

TEST(DiscreteGaussianMechanism, a_receipt_must_pay_for_its_noise) {
  Budget budget(Epsilon(100), Delta(1e-6));
  TestEntropy entropy(4);
  DiscreteGaussianMechanism mechanism(entropy);
  GaussianNoise noise;
  noise.sensitivity = 1;
  noise.variance = 1'000'000;
  GaussianNoise cheaper = noise;
  cheaper.variance *= 4;
  EXPECT_THROW(
      static_cast<void>(mechanism.release_ratio(*budget.spend(cheaper.charge("test")), one_entry(0), noise)),
      Error);
}

TEST(DiscreteGaussianMechanism, a_receipt_pays_once) {
  Budget budget(Epsilon(100), Delta(1e-6));
  TestEntropy entropy(4);
  DiscreteGaussianMechanism mechanism(entropy);
  GaussianNoise noise;
  noise.sensitivity = 1;
  noise.variance = 1'000'000;
  auto receipt = budget.spend(noise.charge("test"));
  static_cast<void>(mechanism.release_ratio(std::move(*receipt), one_entry(0), noise));
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is refused is the point
  EXPECT_THROW(static_cast<void>(mechanism.release_ratio(std::move(*receipt), one_entry(0), noise)), Error);
}

}  // namespace
}  // namespace sotto
