#include "sotto/measurement/mechanism.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sotto/ledger/budget.hpp"
#include "sotto/release/query.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

ExactSum one_entry(std::int64_t value) {
  ExactSum sum(1);
  sum.add(std::span<const std::int64_t>(&value, 1));
  return sum;
}

Released<NoisyRatio> release(NoiseMechanism& mechanism, Receipt receipt, std::int64_t exact,
                             const GaussianNoise& noise) {
  return mechanism.release(std::move(receipt), one_entry(exact), noise, [&](const NoisyIntegers& noisy) {
    const double g = noise.grid.value();
    return NoisyRatio{noisy.values[0] * g, noisy.variance * g * g};
  });
}

class DiscreteGaussian : public testing::Test {
 protected:
  DiscreteGaussian() {
    noise.sensitivity = 1;
    noise.variance = 1'000'000;
  }
  Budget budget{Epsilon(1e6), Delta(1e-6)};
  TestEntropy entropy{4};
  DiscreteGaussianMechanism mechanism{entropy};
  GaussianNoise noise;
};

TEST_F(DiscreteGaussian, adds_noise_of_the_stated_variance) {
  noise.grid = GridStep(0.25);
  constexpr int count = 20000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const NoisyRatio ratio = release(mechanism, *budget.spend(noise.charge("test")), 400, noise).value();
    EXPECT_EQ(ratio.variance, 62500);
    const double z = (ratio.value - 100) / 250;
    sum += z;
    squares += z * z;
  }
  // 4.5 standard errors: a false alarm in 1.5e5 runs of each, were the entropy not fixed.
  EXPECT_LT(std::abs(sum / count), 4.5 / std::sqrt(count));
  EXPECT_LT(std::abs(squares / count - 1), 4.5 * std::sqrt(2.0 / count));
}

TEST_F(DiscreteGaussian, a_receipt_must_pay_for_its_noise) {
  GaussianNoise cheaper = noise;
  cheaper.variance *= 4;
  EXPECT_THROW(static_cast<void>(release(mechanism, *budget.spend(cheaper.charge("test")), 0, noise)), Error);
  // Each part of the price by itself, and the number of coordinates.
  Charge cost = noise.charge("test");
  cost.rho = Rho(cost.rho.value() / 2);
  EXPECT_THROW(static_cast<void>(release(mechanism, *budget.spend(cost), 0, noise)), Error);
  Charge slack = noise.charge("test");
  slack.slack /= 2;
  EXPECT_THROW(static_cast<void>(release(mechanism, *budget.spend(slack), 0, noise)), Error);
  GaussianNoise two = noise;
  two.entries = 2;
  EXPECT_THROW(static_cast<void>(release(mechanism, *budget.spend(two.charge("test")), 0, two)), Error);
}

TEST_F(DiscreteGaussian, a_receipt_pays_once) {
  auto receipt = budget.spend(noise.charge("test"));
  static_cast<void>(release(mechanism, std::move(*receipt), 0, noise));
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is refused is the point
  EXPECT_THROW(static_cast<void>(release(mechanism, std::move(*receipt), 0, noise)), Error);
}

// Noise that two coordinates share falls away in their difference.
TEST_F(DiscreteGaussian, every_entry_has_noise_of_its_own) {
  noise.variance = GaussianNoise::Integer(1) << 80;
  noise.entries = 8;
  std::set<double> seen = {0};  // the exact values
  for (int release = 0; release < 3; ++release) {
    const auto released = mechanism.release(*budget.spend(noise.charge("test")), ExactSum(8), noise,
                                            [](const NoisyIntegers& noisy) { return noisy.values; });
    for (const double value : released.value()) EXPECT_TRUE(seen.insert(value).second);
  }
  EXPECT_EQ(seen.size(), 1u + 3 * 8);
}

// Noise whose size follows from rows: neither the centre nor the variance is told to what shapes the release.
TEST_F(DiscreteGaussian, a_secret_scale_is_not_told) {
  ExactSum secrets(2);
  const SecretScale scale = [&](std::span<const Int128>) { return std::pair(Int128{5}, noise); };
  const NoisyRatio ratio =
      mechanism
          .release_with_secret_scale(*budget.spend(noise.charge("test")), secrets, scale,
                                     [](const NoisyIntegers& noisy) {
                                       return NoisyRatio{noisy.values[0], noisy.variance};
                                     })
          .value();
  EXPECT_EQ(ratio.variance, 0);
}

}  // namespace
}  // namespace sotto
