#include "sotto/channel/gaussian.hpp"

#include <gtest/gtest.h>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/channel/channel.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

static_assert(LocalChannel<DiscreteGaussianChannel, double, double> &&
              LocalChannel<GaussianChannel, double, double>);
static_assert(!PureChannel<DiscreteGaussianChannel> && !PureChannel<GaussianChannel>);

double true_delta(double width, double sd, double epsilon) {
  return gaussian_delta(Rho(width * width / (2 * sd * sd)), Epsilon(epsilon)).value();
}

// Erratum E27. The classic formula gives delta 0.41 where it promises 0.1; the printed one is worse.
TEST(GaussianChannel, classic_calibration_fails) {
  const double classic = 1.0 / 10 * std::sqrt(2 * std::log(1.25 / 0.1));
  EXPECT_NEAR(true_delta(1, classic, 10), 0.41, 0.005);
  EXPECT_GT(true_delta(1, classic, 10), 0.1);
  const GaussianChannel analytic({0, 1}, Epsilon(10), Delta(0.1));
  EXPECT_LE(true_delta(1, analytic.scale(), 10), 0.1 * (1 + 1e-9));
  EXPECT_GT(analytic.scale(), classic);

  const double printed = std::sqrt(2 * std::log(1.25 * 20 / (0.01 * 0.5)));
  EXPECT_GT(true_delta(20, printed, 0.5), 0.9);
  // The variance quoted beside it belongs to data that span 10, not 20.
  const double quoted = std::pow(10 / 0.5, 2) * 2 * std::log(1.25 / 0.01);
  EXPECT_GT(quoted, 3800);
  EXPECT_GT(true_delta(20, std::sqrt(quoted), 0.5), 0.01);
  // Where the classic formula holds (epsilon <= 1) it is wasteful.
  const GaussianChannel half({-10, 10}, Epsilon(0.5), Delta(0.01));
  EXPECT_LT(half.scale(), 20 / 0.5 * std::sqrt(2 * std::log(1.25 / 0.01)));
}

// By enumeration of both distributions: sum of the positive parts of p(z | 0) - e^epsilon p(z | steps).
TEST(DiscreteGaussianChannel, calibrations_hold) {
  for (const long long steps : {1LL, 5LL, 64LL}) {
    for (const double epsilon : {0.3, 1.0, 4.0}) {
      for (const double delta : {1e-6, 1e-2}) {
        const DiscreteGaussianChannel channel(Grid({0, 1}, steps), Epsilon(epsilon), Delta(delta));
        const auto variance = static_cast<double>(channel.grid_variance());
        const long reach = static_cast<long>(12 * std::sqrt(variance)) + steps + 2;
        double normaliser = 0;
        for (long k = -reach; k <= reach; ++k) normaliser += std::exp(-0.5 * k * k / variance);
        double excess = 0;
        for (long k = -reach; k <= reach; ++k) {
          const double own = std::exp(channel.log_density(channel.grid().position(k), 0));
          const double other = std::exp(channel.log_density(channel.grid().position(k), 1));
          excess += std::max(0.0, own - std::exp(epsilon) * other) / normaliser;
        }
        EXPECT_LE(excess, delta * (1 + 1e-9))
            << steps << " steps, epsilon " << epsilon << ", delta " << delta;
        EXPECT_GT(excess, 0);
      }
    }
  }
}

// On few steps the noise is far from continuous: what its loss may exceed a Gaussian's by is taken off epsilon.
TEST(DiscreteGaussianChannel, coarse_grids_pay_for_their_discreteness) {
  for (const long long steps : {1LL, 4LL, 30LL}) {
    for (const double epsilon : {0.3, 1.0, 4.0}) {
      const auto variance = static_cast<double>(gaussian_variance(steps, Epsilon(epsilon), Delta(1e-4)));
      const auto size = static_cast<double>(steps);
      const double left = epsilon - size / variance;
      ASSERT_GE(left, 0);
      EXPECT_LE(gaussian_delta(Rho(size * size / (2 * variance)), Epsilon(left)).value(), 1e-4);
    }
  }
}

TEST(DiscreteGaussianChannel, default_grid_costs_next_to_nothing) {
  const std::pair<double, double> budgets[] = {{0.1, 1e-6}, {1, 1e-6}, {10, 0.1}};
  for (const auto& [epsilon, delta] : budgets) {
    const GaussianChannel limit({-3, 5}, Epsilon(epsilon), Delta(delta));
    const DiscreteGaussianChannel grid(Grid({-3, 5}), Epsilon(epsilon), Delta(delta));
    EXPECT_GE(grid.scale(), limit.scale() * (1 - 1e-12));
    EXPECT_NEAR(grid.scale() / limit.scale(), 1, 1e-5);
    for (const double z : {-9.0, 0.0, 30.0}) {
      EXPECT_NEAR(grid.log_density(z, 1.23), limit.log_density(z, 1.23),
                  1e-4 * (1 - limit.log_density(z, 1.23)));
    }
  }
}

TEST(DiscreteGaussianChannel, calibrated_by_rho) {
  for (const double rho : {1e-3, 0.1, 17.8}) {
    const DiscreteGaussianChannel channel(Grid({0, 3.11}), Rho(rho));
    using Rational = boost::multiprecision::cpp_rational;
    const Rational steps(channel.sensitivity());
    EXPECT_LE(steps * steps / (2 * Rational(channel.grid_variance())), Rational(rho));
    EXPECT_NEAR(channel.scale() / (3.11 / std::sqrt(2 * rho)), 1, 1e-6);
  }
}

// Renyi divergences of both distributions by enumeration, at many orders: at most order * rho, for every pair of grid points.
TEST(DiscreteGaussianChannel, rho_bounds_every_renyi_divergence) {
  for (const long long steps : {1LL, 6LL}) {
    for (const double rho : {0.05, 2.0}) {
      const DiscreteGaussianChannel channel(Grid({0, 1}, steps), Rho(rho));
      const long reach =
          static_cast<long>(40 * std::sqrt(static_cast<double>(channel.grid_variance()))) + 40 * steps;
      const auto log_q = [&](long k, long y) {
        return channel.log_density(channel.grid().position(static_cast<double>(k)),
                                   channel.grid().position(static_cast<double>(y)));
      };
      double normaliser = 0;
      for (long k = -reach; k <= reach; ++k) normaliser += std::exp(log_q(k, 0));
      double worst = 0;
      for (const double order : {1.1, 2.0, 5.0, 20.0})
        for (long y = 0; y <= steps; ++y) {
          double sum = 0;
          for (long k = -reach; k <= reach; ++k)
            sum += std::exp(order * log_q(k, y) + (1 - order) * log_q(k, 0)) / normaliser;
          worst = std::max(worst, std::log(sum) / (order - 1) / order);
        }
      EXPECT_LE(worst, rho * (1 + 1e-9)) << steps << " steps";
      // And it is met, up to what the variance's being a whole number of squared steps gives away.
      const auto whole =
          static_cast<double>(steps * steps) / (2 * static_cast<double>(channel.grid_variance()));
      EXPECT_GE(worst, 0.99 * whole) << steps << " steps";
    }
  }
  // The continuous channel: the divergence of order a is a width^2 / (2 sd^2).
  const GaussianChannel channel({-10, 10}, Rho(17.8));
  EXPECT_NEAR(400 / (2 * channel.scale() * channel.scale()), 17.8, 1e-9);
}

// False-alarm rate 1e-4 per case, fixed seed.
TEST(DiscreteGaussianChannel, frequencies_match_the_density) {
  const DiscreteGaussianChannel channel(Grid({-1, 3}, 8), Epsilon(2), Delta(1e-3));
  for (const double y : {-1.0, 0.3, 5.0}) {
    SeededEntropy entropy(41);
    ExactNoise noise(entropy);
    const int reach = 150;
    std::vector<double> counts(2 * reach + 1);
    std::vector<double> probabilities(2 * reach + 1);
    double total = 0;
    for (int k = -reach; k <= reach; ++k) {
      total += probabilities[k + reach] = std::exp(channel.log_density(channel.grid().position(k), y));
    }
    for (double& p : probabilities) p /= total;
    for (int i = 0; i < 50'000; ++i) {
      ++counts.at(static_cast<std::size_t>(channel.grid().steps_to(channel.release(y, noise)) + reach));
    }
    EXPECT_GT(chi_square_p_value(counts, probabilities), 1e-4) << "y " << y;
  }
}

TEST(DiscreteGaussianChannel, refuses_bad_settings) {
  EXPECT_THROW(DiscreteGaussianChannel(Grid({0, 1}), Epsilon(1), Delta(0)), Error);
  EXPECT_THROW(DiscreteGaussianChannel(Grid({0, 1}), Epsilon(0), Delta(0.1)), Error);
  EXPECT_THROW(DiscreteGaussianChannel(Grid({0, 1}), Rho(0)), Error);
  EXPECT_THROW(GaussianChannel({0, 1}, Rho(0)), Error);
}

}  // namespace
}  // namespace sotto
