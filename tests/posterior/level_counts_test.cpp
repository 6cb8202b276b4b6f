#include "sotto/posterior/level_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/random/binomial_distribution.hpp>
#include <cmath>
#include <vector>

namespace sotto {
namespace level_counts {
namespace {

constexpr CoefficientPrior kPrior{};  // normal(0, 2.5)

Position shares_of(const Position& odds) {
  Position shares(odds.size() + 1);
  shares << 1, odds.array().exp();
  return shares / shares.sum();
}

Matrix draw(const ReleasedCounts& released, Eigen::Index count, std::uint64_t seed,
            const CoefficientPrior& prior = kPrior) {
  const LevelCountsPosterior posterior(released, prior);
  ChainRng rng(seed);
  Matrix shares(count, released.counts.size());
  for (Eigen::Index i = 0; i < count; ++i) shares.row(i) = shares_of(posterior.draw(rng));
  return shares;
}

// With a flat prior on the log odds the multinomial's posterior is Dirichlet(counts). Five Monte Carlo errors of 20,000 draws; the noise
// adds a variance of .0025 to counts of 5 and more.
TEST(LevelCounts, without_noise_is_the_multinomial_posterior) {
  const Position counts{{40, 5, 300, 12}};
  const CoefficientPrior flat{.family = PriorFamily::flat};
  constexpr Eigen::Index kDraws = 20000;
  const Matrix shares = draw({counts, 0.05}, kDraws, 3, flat);
  const double n = counts.sum();
  for (Eigen::Index k = 0; k < counts.size(); ++k) {
    const double mean = counts[k] / n;
    const double sd = std::sqrt(mean * (1 - mean) / (n + 1));
    EXPECT_NEAR(shares.col(k).mean(), mean, 5 * sd / std::sqrt(kDraws)) << k;
    const double seen = std::sqrt((shares.col(k).array() - shares.col(k).mean()).square().mean());
    EXPECT_NEAR(seen / sd, 1, 0.05) << k;
  }
}

/// A grid over both log odds, with the rows' number summed over all that are possible: no product of Poisson laws.
Position mean_by_enumeration(const ReleasedCounts& released) {
  constexpr int kMostRows = 48;
  constexpr double kStep = 0.4;
  Position sum = Position::Zero(3);
  double total = 0;
  for (double a = -8; a <= 8; a += kStep) {
    for (double b = -8; b <= 8; b += kStep) {
      const Position shares = shares_of(Position{{a, b}});
      double likelihood = 0;
      for (int n = 1; n <= kMostRows; ++n) {
        for (int first = 0; first <= n; ++first) {
          for (int second = 0; first + second <= n; ++second) {
            const Position counts{{static_cast<double>(n - first - second), static_cast<double>(first),
                                   static_cast<double>(second)}};
            double log = std::lgamma(n + 1.0) - std::log(n);  // flat in the logarithm of n
            for (Eigen::Index k = 0; k < 3; ++k) {
              log += counts[k] * std::log(shares[k]) - std::lgamma(counts[k] + 1) -
                     std::pow((released.counts[k] - counts[k]) / released.noise_sd, 2) / 2;
            }
            likelihood += std::exp(log);
          }
        }
      }
      const double weight = likelihood * std::exp(kPrior.log_density(a) + kPrior.log_density(b));
      total += weight;
      sum += weight * shares;
    }
  }
  return sum / total;
}

// Noise that hides a level. Five Monte Carlo errors; the enumeration takes the rows' number for whole and at least one.
TEST(LevelCounts, with_noise_is_the_posterior_by_enumeration) {
  const ReleasedCounts released{Position{{22, 9, -2.5}}, 2};
  constexpr Eigen::Index kDraws = 20000;
  const Matrix shares = draw(released, kDraws, 5);
  const Position expected = mean_by_enumeration(released);
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double sd = std::sqrt((shares.col(k).array() - shares.col(k).mean()).square().mean());
    EXPECT_NEAR(shares.col(k).mean(), expected[k], 5 * sd / std::sqrt(kDraws) + 0.002) << k;
  }
  EXPECT_EQ(hidden_levels(released, shares), std::vector<Eigen::Index>{2});
  EXPECT_GT(share_inflation(released, shares)[1], 1);
}

// 300 tables of shares that follow from the prior, seven levels, some of which the noise hides. Of 2,100 intervals of 90 % each count is
// binomial but for the levels' dependence: a standard deviation of at most sqrt(7) times .0065, so .05 is three of it.
TEST(LevelCounts, holds_the_truth_as_often_as_it_says) {
  constexpr int kTables = 300;
  constexpr Eigen::Index kLevels = 7;
  constexpr double kRows = 2000;
  constexpr double kNoise = 8;
  constexpr CoefficientPrior kOwn{.scale = 1.5};
  ChainRng rng(17);
  int held = 0;
  for (int t = 0; t < kTables; ++t) {
    const Position truth = shares_of(kOwn.scale * rng.normals(kLevels - 1));
    Position counts(kLevels);
    int left = static_cast<int>(kRows);
    double rest = 1;
    for (Eigen::Index k = 0; k < kLevels; ++k) {
      const double chance = std::fmin(1, truth[k] / rest);
      const int here = k + 1 == kLevels ? left : boost::random::binomial_distribution<int>(left, chance)(rng);
      counts[k] = here + kNoise * rng.normal();
      left -= here;
      rest -= truth[k];
    }
    const Matrix shares = draw({counts, kNoise}, 400, 100 + static_cast<std::uint64_t>(t), kOwn);
    for (Eigen::Index k = 0; k < kLevels; ++k) {
      const double below = static_cast<double>((shares.col(k).array() < truth[k]).count()) / 400;
      held += below >= 0.05 && below <= 0.95 ? 1 : 0;
    }
  }
  EXPECT_NEAR(held / (kTables * static_cast<double>(kLevels)), 0.9, 0.05);
}

}  // namespace
}  // namespace level_counts
}  // namespace sotto
