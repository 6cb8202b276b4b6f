// Jobs of many distinct events against sums over all their outcomes.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/accountant/pld/composed_loss.hpp"
#include "sotto/accountant/pld/loss_curve.hpp"
#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

using Wide = long double;

// Randomised response of so many units of loss in either direction: probabilities of all sums, from the smallest on.
std::vector<Wide> all_sums(const std::vector<int>& units, double unit) {
  std::vector<Wide> sums = {1};
  for (const int k : units) {
    const Wide down = 1 / (1 + std::exp(static_cast<Wide>(unit) * k));
    std::vector<Wide> next(sums.size() + 2 * static_cast<std::size_t>(k), 0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      next[i] += down * sums[i];
      next[i + 2 * static_cast<std::size_t>(k)] += (1 - down) * sums[i];
    }
    sums = std::move(next);
  }
  return sums;
}

Wide curve(const std::vector<Wide>& sums, double unit, double epsilon) {
  const auto half = static_cast<Wide>(sums.size() / 2);
  Wide delta = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Wide loss = (static_cast<Wide>(i) - half) * unit;
    if (loss > epsilon) delta -= sums[i] * std::expm1(epsilon - loss);
  }
  return delta;
}

TEST(ManyKinds, of_pure_releases_are_enclosed) {
  constexpr double kLossUnit = 1e-3;
  for (const int kinds : {9, 40, 256}) {
    CompositionEvent parts;
    std::vector<int> units;
    for (int i = 0; i < kinds; ++i) {
      units.push_back(20 + i);
      parts.parts.push_back({PureEvent{kLossUnit * units.back()}, 1});
    }
    const std::vector<Wide> sums = all_sums(units, kLossUnit);
    for (const double target : {1e-3, 1e-6, 1e-10}) {
      SCOPED_TRACE(testing::Message() << kinds << " kinds, delta " << target);
      const Bounds epsilon = tight_epsilon({parts, 1}, Adjacency::substitute, Delta(target));
      EXPECT_LE(curve(sums, kLossUnit, epsilon.upper), target * (1 + 1e-9));
      EXPECT_GE(curve(sums, kLossUnit, epsilon.lower), target * (1 - 1e-9));
      EXPECT_LT(epsilon.upper - epsilon.lower, kUsualWidth * epsilon.upper);
    }
    const Bounds delta = tight_delta({parts, 1}, Adjacency::substitute, Epsilon(0.1));
    const auto truth = static_cast<double>(curve(sums, kLossUnit, 0.1));
    EXPECT_LE(delta.lower, truth * (1 + 1e-9));
    EXPECT_GE(delta.upper, truth * (1 - 1e-9));
    EXPECT_LT(delta.upper - delta.lower, kUsualWidth * delta.upper);
  }
}

// Much noise: nearly all of each loss lies at one of its two atoms, and no sum of them where another's does. What they cost lies
// between the costs of the dearest and of the cheapest repeated.
TEST(ManyKinds, of_losses_that_hardly_leave_their_atoms_are_narrow) {
  for (const int kinds : {9, 16, 40, 128}) {
    CompositionEvent parts;
    for (int i = 0; i < kinds; ++i) parts.parts.push_back({LaplaceEvent{1, 100.0 + i}, 1});
    const auto repeated = [&](double scale) {
      return tight_epsilon({LaplaceEvent{1, scale}, static_cast<std::uint64_t>(kinds)}, Adjacency::substitute,
                           Delta(1e-6));
    };
    const Bounds epsilon = tight_epsilon({parts, 1}, Adjacency::substitute, Delta(1e-6));
    EXPECT_LT(epsilon.upper - epsilon.lower, kUsualWidth * epsilon.upper) << kinds;
    EXPECT_LE(epsilon.lower, repeated(100).upper) << kinds;
    EXPECT_GE(epsilon.upper, repeated(99 + kinds).lower) << kinds;
  }
}

// So much noise that losses are far below the rounding of probabilities. Laplace noise that tells a loss of at most e is told from
// randomised response of loss e, and tells at least its own sign: randomised response of loss log(2 e^(e/2) - 1) >= e (1 - e/4).
TEST(ManyKinds, of_tiny_losses_lie_between_two_of_randomised_response) {
  for (const double unit : {1e-5, 1e-7, 1e-8})
    for (const int kinds : {2, 9, 20, 70}) {
      SCOPED_TRACE(testing::Message() << kinds << " kinds, unit " << unit);
      CompositionEvent parts;
      std::vector<int> units;
      for (int i = 0; i < kinds; ++i) {
        units.push_back(100 - i);
        parts.parts.push_back({LaplaceEvent{1, 1 / (unit * units.back())}, 1});
      }
      const double target = unit;
      const double below = unit * (1 - 100 * unit / 4) * (1 - 1e-9);
      const double above = unit * (1 + 1e-9);
      const std::vector<Wide> least = all_sums(units, below);
      const std::vector<Wide> most = all_sums(units, above);
      const Bounds epsilon = tight_epsilon({parts, 1}, Adjacency::substitute, Delta(target));
      EXPECT_LT(epsilon.upper - epsilon.lower, kUsualWidth * epsilon.upper);
      EXPECT_GE(curve(most, above, epsilon.lower), target * (1 - 1e-7));
      EXPECT_LE(curve(least, below, epsilon.upper), target * (1 + 1e-7));
      const double asked = 2 * unit * 75 * std::sqrt(kinds);
      const Bounds delta = tight_delta({parts, 1}, Adjacency::substitute, Epsilon(asked));
      EXPECT_LE(delta.lower, static_cast<double>(curve(most, above, asked)) * (1 + 1e-7));
      EXPECT_GE(delta.upper, static_cast<double>(curve(least, below, asked)) * (1 - 1e-7));
    }
}

// Losses off every grid; 2^10 outcomes.
TEST(ManyKinds, sums_seen_roughly_lie_below_the_truth) {
  constexpr int kParts = 10;
  std::vector<DiscretePld> pairs;
  for (int i = 0; i < kParts; ++i) {
    const double loss = 0.1 + 0.05 * std::sqrt(i + 2);
    const double up = 1 / (1 + std::exp(-loss));
    pairs.push_back({-loss, 2 * loss, 0, {1 - up, up}, 0, kLatticeMargin});
  }
  const auto truth = [&](double epsilon) {
    Wide delta = 0;
    for (int outcome = 0; outcome < 1 << kParts; ++outcome) {
      Wide p = 1;
      Wide loss = 0;
      for (int i = 0; i < kParts; ++i) {
        const std::size_t k = (outcome >> i) & 1;
        p *= pairs[i].mass[k];
        loss += pairs[i].loss(k);
      }
      if (loss > epsilon) delta -= p * std::expm1(epsilon - loss);
    }
    return static_cast<double>(delta);
  };
  for (const double tilt : {1.0, 5.0, 20.0}) {
    std::vector<TiltedLoss> parts;
    for (const DiscretePld& pair : pairs) parts.push_back(tilted(pair, tilt));
    double last = 0;
    for (const double step : {0.3, 0.03, 3e-3, 3e-4}) {
      const auto sum = compose_seen_roughly(parts, step, tilt, 28, 0x1p22);
      ASSERT_TRUE(sum);
      const LossCurve below(*compose({{*sum, 1}}, tilt, 28, 0x1p22, Side::lower), tilt, Side::lower);
      for (const double epsilon : {0.0, 0.1, 0.7, 1.1, 1.6, 2.0}) {
        EXPECT_LE(below.delta(epsilon), truth(epsilon) * (1 + 1e-12)) << step << " " << epsilon;
      }
      last = below.delta(1.1);
    }
    EXPECT_GT(last, 0.999 * truth(1.1)) << tilt;
  }
}

}  // namespace
}  // namespace sotto
