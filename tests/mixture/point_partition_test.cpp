#include "sotto/mixture/point_partition.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto::mixture {
namespace {

// All partitions of n data, as restricted growth strings.
std::vector<Allocation> all_partitions(int n) {
  std::vector<Allocation> all{{0}};
  for (int i = 1; i < n; ++i) {
    std::vector<Allocation> longer;
    for (const Allocation& a : all) {
      const int clusters = 1 + *std::max_element(a.begin(), a.end());
      for (int label = 0; label <= clusters; ++label) {
        longer.push_back(a);
        longer.back().push_back(label);
      }
    }
    all = std::move(longer);
  }
  return all;
}

TEST(Partitions, losses_by_hand) {
  const Allocation a{0, 0, 1, 1};
  const Allocation b{5, 5, 2, 2};
  const Allocation c{0, 1, 2, 3};
  const Allocation d{0, 0, 0, 0};
  EXPECT_NEAR(variation_of_information(a, b), 0, 1e-15);
  EXPECT_NEAR(variation_of_information(c, d), std::log(4), 1e-12);
  EXPECT_NEAR(variation_of_information(a, d), std::log(2), 1e-12);
  EXPECT_EQ(binder_loss(a, b), 0);
  EXPECT_NEAR(binder_loss(c, d), 1, 1e-15);
  EXPECT_NEAR(binder_loss(a, d), 4.0 / 6, 1e-15);
  EXPECT_EQ(adjusted_rand_index(a, b), 1);
  EXPECT_EQ(adjusted_rand_index(c, d), 0);
  EXPECT_EQ(adjusted_rand_index(d, d), 1);
  // The standard worked value: (0,0,1,1) against (0,0,1,2) has 0.571428...
  EXPECT_NEAR(adjusted_rand_index(a, Allocation{0, 0, 1, 2}), 4.0 / 7, 1e-12);
}

TEST(Partitions, co_clustering_counts_draws) {
  const Matrix p = co_clustering({{0, 0, 1}, {0, 1, 1}, {2, 2, 2}, {0, 1, 2}});
  EXPECT_EQ(p(0, 1), 0.5);
  EXPECT_EQ(p(1, 2), 0.5);
  EXPECT_EQ(p(0, 2), 0.25);
  EXPECT_EQ(p(1, 1), 1);
  EXPECT_EQ(p(2, 0), p(0, 2));
}

// Random draws whose best partition need not be among them; all 877 partitions of 7 data are compared.
TEST(Partitions, search_finds_the_best_of_all_partitions) {
  const std::vector<Allocation> all = all_partitions(7);
  ASSERT_EQ(all.size(), 877u);
  ChainRng rng(3);
  int better_than_any_draw = 0;
  for (int round = 0; round < 30; ++round) {
    const Allocation centre = all[rng.below(all.size())];
    std::vector<Allocation> draws;
    for (int s = 0; s < 12; ++s) {
      draws.push_back(centre);
      for (int& label : draws.back()) {
        if (rng.uniform() < 0.35) label = static_cast<int>(rng.below(7));
      }
    }
    for (const PartitionLoss loss : {PartitionLoss::variation_of_information, PartitionLoss::binder}) {
      const auto mean_loss = [&](const Allocation& candidate) {
        double sum = 0;
        for (const Allocation& draw : draws) {
          sum += loss == PartitionLoss::binder ? binder_loss(candidate, draw)
                                               : variation_of_information(candidate, draw);
        }
        return sum / static_cast<double>(draws.size());
      };
      double least = 1e9;
      for (const Allocation& candidate : all) least = std::min(least, mean_loss(candidate));
      double least_drawn = 1e9;
      for (const Allocation& draw : draws) least_drawn = std::min(least_drawn, mean_loss(draw));
      const PointPartition found = minimise_expected_loss(draws, loss, rng, {.starts = 20});
      EXPECT_NEAR(found.expected_loss, least, 1e-12) << "round " << round;
      EXPECT_NEAR(found.expected_loss, mean_loss(found.allocation), 1e-12);
      better_than_any_draw += found.expected_loss < least_drawn - 1e-9 ? 1 : 0;
    }
  }
  EXPECT_GT(better_than_any_draw, 10);  // so visiting drawn partitions alone would not do
}

TEST(Partitions, agreeing_draws_are_returned) {
  ChainRng rng(4);
  Allocation truth;
  for (int i = 0; i < 120; ++i) truth.push_back(i % 3);
  const std::vector<Allocation> draws(20, truth);
  for (const PartitionLoss loss : {PartitionLoss::variation_of_information, PartitionLoss::binder}) {
    const PointPartition found = minimise_expected_loss(draws, loss, rng);
    EXPECT_EQ(found.allocation, truth);
    EXPECT_EQ(found.expected_loss, 0);
  }
  EXPECT_EQ(minimise_expected_loss({{0}}, PartitionLoss::binder, rng).allocation, (Allocation{0}));
}

}  // namespace
}  // namespace sotto::mixture
