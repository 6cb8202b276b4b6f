// What spares the chain on the mixing measure its rows: counts of equal releases, and statistics of many data at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sotto/channel/laplace.hpp"
#include "sotto/mixture/algorithm/metropolis.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"
#include "sotto/mixture/kernel/poisson_kernel.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"

namespace sotto::mixture {
namespace {

// Sums of squared standardised moments: a right one is beyond 4.5 standard errors with probability 7e-6.
constexpr double kFar = 4.5;

void expect_moments(const std::vector<double>& values, double mean, double variance,
                    const std::string& what) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  double squares = 0;
  for (const double v : values) sum += v - mean, squares += (v - mean) * (v - mean);
  EXPECT_LT(std::abs(sum / n), kFar * std::sqrt(variance / n)) << what;
  // Of nearly normal values, whose squares have variance 2 variance^2.
  EXPECT_LT(std::abs(squares / n - variance), kFar * variance * std::sqrt(2.2 / n)) << what;
}

TEST(Multinomial, counts_are_those_of_single_draws) {
  const std::vector<double> cumulated{0.25, 0.25, 1.75, 2.5};  // shares 0.1, 0, 0.6, 0.3
  const double shares[] = {0.1, 0, 0.6, 0.3};
  ChainRng rng(71);
  std::vector<std::vector<double>> drawn(4);
  for (int s = 0; s < 20'000; ++s) {
    std::vector<std::size_t> counts(4);
    draw_multinomial(500, cumulated, counts, rng);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), 500U);
    for (std::size_t h = 0; h < 4; ++h) drawn[h].push_back(static_cast<double>(counts[h]));
  }
  for (const std::size_t h : {0, 2, 3})
    expect_moments(drawn[h], 500 * shares[h], 500 * shares[h] * (1 - shares[h]), std::to_string(h));
  EXPECT_EQ(*std::max_element(drawn[1].begin(), drawn[1].end()), 0);
}

TEST(Statistic, of_many_draws_at_once_is_that_of_the_draws) {
  ChainRng rng(72);
  constexpr std::size_t kCount = 2000;
  const NormalKernel normal(NormalInverseGamma{});
  const PoissonKernel counts(1, 1);
  const CategoricalKernel categories(3, 1);
  CategoricalKernel::Parameter shares;
  shares.probability = {0.2, 0.5, 0.3};
  std::vector<double> sum, within, total, second;
  for (int s = 0; s < 20'000; ++s) {
    const NormalStatistic n = normal.draw_statistic({.mean = 3, .sd = 2}, kCount, rng);
    sum.push_back(n.sum);
    within.push_back(n.squares - n.sum * n.sum / n.count);
    total.push_back(counts.draw_statistic({0.7, std::log(0.7)}, kCount, rng).sum);
    second.push_back(categories.draw_statistic(shares, kCount, rng).counts[1]);
  }
  expect_moments(sum, 3 * kCount, 4 * kCount, "sum of normals");
  expect_moments(within, 4 * (kCount - 1), 16 * 2 * (kCount - 1), "their squares");
  expect_moments(total, 0.7 * kCount, 0.7 * kCount, "sum of counts");
  expect_moments(second, 0.5 * kCount, 0.25 * kCount, "a category");
}

/// 280 rows released 2 and 20 released -6: all equal, or so little apart that each is looked at by itself.
LocalRelease<LaplaceChannel, double> rows(double apart) {
  LocalRelease<LaplaceChannel, double> data{LaplaceChannel({-10, 10}, Epsilon(10)), {}};
  for (int i = 0; i < 300; ++i) data.z.push_back((i < 280 ? 2 : -6) + apart * i);
  return data;
}

struct Means {
  double clusters = 0, clusters_error = 0, largest = 0, largest_error = 0;
};

// Means of the number of clusters and of the largest's share, with the errors of 20 batches.
Means means_of(double apart, int sweeps) {
  ChainRng rng(73);
  const NormalKernel kernel(NormalInverseGamma{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3});
  Metropolis sampler(kernel, DirichletProcess(1), rows(apart), rng, apart > 0);
  constexpr int kBatches = 20;
  std::vector<double> clusters(kBatches, 0.0), largest(kBatches, 0.0);
  for (int sweep = 0; sweep < 100; ++sweep) sampler.sweep(rng);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    sampler.sweep(rng);
    const auto sizes = sampler.state().partition.sizes();
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), 0), 300);
    const auto batch = static_cast<std::size_t>(sweep * kBatches / sweeps);
    clusters[batch] += static_cast<double>(sizes.size()) * kBatches / sweeps;
    largest[batch] += *std::max_element(sizes.begin(), sizes.end()) / 300.0 * kBatches / sweeps;
  }
  const auto summary = [&](const std::vector<double>& batches, double& mean, double& error) {
    mean = std::accumulate(batches.begin(), batches.end(), 0.0) / kBatches;
    double squares = 0;
    for (const double b : batches) squares += (b - mean) * (b - mean);
    error = std::sqrt(squares / (kBatches - 1) / kBatches);
  };
  Means m;
  summary(clusters, m.clusters, m.clusters_error);
  summary(largest, m.largest, m.largest_error);
  return m;
}

// Student's t of two chains of 20 batches each: beyond 5.5 with probability below 1e-5.
TEST(Metropolis, counts_of_equal_releases_follow_the_law_of_single_ones) {
  const Means equal = means_of(0, 20'000);
  const Means single = means_of(1e-9, 600);
  EXPECT_LT(std::abs(equal.clusters - single.clusters),
            5.5 * std::hypot(equal.clusters_error, single.clusters_error))
      << equal.clusters << " " << single.clusters;
  EXPECT_LT(std::abs(equal.largest - single.largest),
            5.5 * std::hypot(equal.largest_error, single.largest_error))
      << equal.largest << " " << single.largest;
  EXPECT_LT(single.clusters_error, 0.1 * single.clusters);
  EXPECT_LT(single.largest_error, 0.1);
}

// Of many rows steps are as narrow as the error of the data's variance asks for, of few an eighth of the noise.
TEST(Metropolis, rows_are_rounded_so_that_few_are_distinct) {
  const ProductChannel<2> channel(
      {DiscreteLaplaceChannel(Grid({0, 1}), Epsilon(4)), DiscreteGaussianChannel(Grid({0, 1}), Rho(8))});
  ChainRng rng(77);
  for (const std::size_t n : {200, 200'000}) {
    LocalRelease<ProductChannel<2>, Eigen::Vector2d> data{channel, {}};
    for (std::size_t i = 0; i < n; ++i) data.z.emplace_back(rng.uniform(), rng.uniform());
    const auto few = rounded(data);
    const double narrowest = std::sqrt(std::sqrt(static_cast<double>(n) / 5) / 0.6);
    const double steps = std::max(8.0, narrowest);
    const double largest[] = {std::numbers::sqrt2 / 4 / steps / 2, 0.25 / steps / 2};
    Eigen::Array2d moved = Eigen::Array2d::Zero();
    for (std::size_t i = 0; i < n; ++i) moved = moved.max((few.z[i] - data.z[i]).array().abs());
    for (int d = 0; d < 2; ++d) {
      EXPECT_LE(moved[d], largest[d] * (1 + 1e-9));
      EXPECT_GT(moved[d], 0.9 * largest[d]);
    }
    EXPECT_LT(DistinctReleases(few.z).values.size(), n < 1000 ? n + 1 : n / 10);
  }
}

// Releases of next to no budget: atoms' means are those of the base measure, a t of 6 degrees of freedom over sqrt(10), much less than the
// steps that move them. Student's t of 20 batches: beyond 5.5 with probability below 3e-5.
TEST(Metropolis, atoms_follow_the_base_measure_where_releases_tell_nothing) {
  LocalRelease<LaplaceChannel, double> data{LaplaceChannel({-10, 10}, Epsilon(1e-6)), {}};
  data.z.assign(40, 0);
  ChainRng rng(75);
  const NormalKernel kernel(NormalInverseGamma{.mean = 0, .precision = 10, .shape = 3, .rate = 3});
  Metropolis sampler(kernel, DirichletProcess(2), data, rng);
  constexpr int kBatches = 20;
  constexpr int kSweeps = 60'000;
  // Shares of the occupied atoms' means within, and beyond, quantiles of the base measure.
  const double half = 0.717558 / std::sqrt(10.0);
  const double far = 1.943180 / std::sqrt(10.0);
  std::vector<double> within(kBatches, 0.0), beyond(kBatches, 0.0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    sampler.sweep(rng);
    const auto clusters = static_cast<int>(sampler.state().partition.clusters());
    const auto batch = static_cast<std::size_t>(sweep * kBatches / kSweeps);
    for (int h = 0; h < clusters; ++h) {
      const double size = std::abs(sampler.state().atom(h).mean);
      within[batch] += (size < half ? 1.0 : 0.0) / clusters * kBatches / kSweeps;
      beyond[batch] += (size > far ? 1.0 : 0.0) / clusters * kBatches / kSweeps;
    }
  }
  const auto expect = [](const std::vector<double>& batches, double share, const char* what) {
    const double mean = std::accumulate(batches.begin(), batches.end(), 0.0) / kBatches;
    double squares = 0;
    for (const double b : batches) squares += (b - mean) * (b - mean);
    const double error = std::sqrt(squares / (kBatches - 1) / kBatches);
    EXPECT_LT(std::abs(mean - share), 5.5 * error) << what << ' ' << mean;
    EXPECT_LT(error, 0.05 * std::sqrt(share)) << what;
  };
  expect(within, 0.5, "within");
  expect(beyond, 0.1, "beyond");
}

TEST(Metropolis, rows_that_are_asked_for_have_the_sizes_of_the_sweep) {
  ChainRng rng(74);
  const NormalKernel kernel(NormalInverseGamma{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3});
  Metropolis sampler(kernel, DirichletProcess(1), rows(0), rng, false);
  std::vector<double> first_half;  // of a cluster, how many of its members among the 280 are in the first 140
  for (int sweep = 0; sweep < 1000; ++sweep) {
    sampler.sweep(rng);
    const auto before = sampler.state().partition.sizes();
    const std::vector<int> sizes(before.begin(), before.end());
    sampler.allocate_rows(rng);
    const auto after = sampler.state().partition.sizes();
    ASSERT_TRUE(std::equal(sizes.begin(), sizes.end(), after.begin(), after.end()));
    const auto allocation = sampler.state().partition.allocation();
    for (int h = 0; h < static_cast<int>(sizes.size()); ++h) {
      const auto members = static_cast<double>(std::count(allocation.begin(), allocation.begin() + 280, h));
      const auto early = static_cast<double>(std::count(allocation.begin(), allocation.begin() + 140, h));
      if (members < 2 || members > 278) continue;
      const double variance = members / 4 * (280 - members) / 279;  // hypergeometric
      first_half.push_back((early - members / 2) / std::sqrt(variance));
      break;
    }
  }
  ASSERT_GT(first_half.size(), 50U);
  expect_moments(first_half, 0, 1, "rows of equal releases are exchangeable");
}

}  // namespace
}  // namespace sotto::mixture
