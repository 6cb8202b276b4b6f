#include "sotto/mixture/binned_release.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/smoothed_histogram.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto/mixture/kernel/rounded_normal_kernel.hpp"
#include "support/privatised_column.hpp"

namespace sotto::mixture {
namespace {

ColumnSettings of_seven_bins(const std::string& channel) {
  ColumnSettings settings = settings_for(channel, 0, 10);
  settings.bins = 7;
  return settings;
}

TEST(BinnedRelease, knows_the_probability_of_every_bin) {
  const PerturbedHistogramChannel channel(Bins({0, 10}, 7), Epsilon(1));
  const BinnedRelease<PerturbedHistogramChannel> data(channel, std::vector<int>{0, 3});
  const auto column = of_seven_bins("perturbed-histogram");
  ChainRng rng(4, 0);
  const auto normal = TruncatedNormalKernel::make(column);
  const auto counts = RoundedNormalKernel::make(column);
  for (int i = 0; i < 50; ++i) {
    const auto theta = normal.draw_prior(rng);
    const Position p =
        MarginalDensity<BinnedRelease<PerturbedHistogramChannel>, TruncatedNormalKernel>(data).densities(
            normal, theta);
    for (int j = 0; j < 7; ++j)
      EXPECT_NEAR(p[j], normal.cumulative(10 * (j + 1) / 7.0, theta) - normal.cumulative(10 * j / 7.0, theta),
                  1e-9);
    const auto of_counts = counts.draw_prior(rng);
    const Position q =
        MarginalDensity<BinnedRelease<PerturbedHistogramChannel>, RoundedNormalKernel>(data).densities(
            counts, of_counts);
    EXPECT_NEAR(q.sum(), 1, 1e-9);
    // 0 and 1 lie in the first bin of width 10 / 7.
    EXPECT_NEAR(q[0], std::exp(counts.log_density(0, of_counts)) + std::exp(counts.log_density(1, of_counts)),
                1e-9);
  }
}

// Five data in three bins: all tables of counts, with their probabilities given the bins' and the release.
template <class Channel>
void expect_the_posterior_of_counts(Channel channel, const std::vector<double>& release,
                                    double false_alarm_sds) {
  channel.observe(release);
  const std::vector<double> start = {0.5, 0.5, 0.5, 0.5, 2.5};
  const Position p = (Position(3) << 0.5, 0.2, 0.3).finished();
  std::map<std::array<std::size_t, 3>, double> exact;
  double total = 0;
  for (std::size_t a = 0; a <= 5; ++a)
    for (std::size_t b = 0; a + b <= 5; ++b) {
      const std::array<std::size_t, 3> c = {a, b, 5 - a - b};
      std::vector<double> data;
      double log_weight = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        data.insert(data.end(), c[j], static_cast<double>(j) + 0.5);
        log_weight += static_cast<double>(c[j]) * std::log(p[static_cast<Eigen::Index>(j)]) -
                      std::lgamma(static_cast<double>(c[j]) + 1);
      }
      Channel at = channel;
      at.start(data);
      total += exact[c] = std::exp(log_weight + at.log_density(data));
    }
  const BinnedRelease<Channel> binned(channel, start);
  auto rows = distinct(binned).rows;
  Channel moving = binned.channel;
  ChainRng rng(6, 0);
  std::map<std::array<std::size_t, 3>, double> seen;
  constexpr int kSweeps = 60'000;  // of thirty moves each: nearly independent
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    move_between_bins(moving, p, rows, rng);
    ++seen[{rows[0].size(), rows[1].size(), rows[2].size()}];
  }
  for (const auto& [c, weight] : exact) {
    const double share = weight / total;
    EXPECT_NEAR(seen[c] / kSweeps, share, false_alarm_sds * std::sqrt(1.5 * share / kSweeps) + 1e-12)
        << c[0] << c[1] << c[2];
  }
}

// 21 tables a channel, five standard deviations: a false alarm below 3e-5.
TEST(BinnedRelease, leaves_the_posterior_of_counts_invariant) {
  expect_the_posterior_of_counts(PerturbedHistogramChannel(Bins({0, 3}, 3), Epsilon(2)), {3, -1, 1}, 5);
  expect_the_posterior_of_counts(SmoothedHistogramChannel(Bins({0, 3}, 3), 5, 4, Epsilon(3)),
                                 {0.5, 0.7, 1.5, 2.9}, 5);
}

// Bins in the place of data make no other posterior; chains of fixed seeds, means within a fifth of the posterior's standard deviation.
TEST(BinnedRelease, has_the_posterior_that_imputed_data_have) {
  for (const char* name : {"perturbed-histogram", "smoothed-histogram"}) {
    ColumnSettings settings = of_seven_bins(name);
    if (settings.channel == "smoothed-histogram") settings.draws = 40;
    const Column column = make_column(settings, {Epsilon(2), std::nullopt, std::nullopt}, 60);
    PrivatisedColumn released;
    if (settings.channel == "smoothed-histogram") {
      for (int i = 0; i < 40; ++i) released.values.push_back(i % 4 == 0 ? 7.9 : 2 + 0.03 * i);
    } else {
      released.values = {3, 20, 17, 2, 1, 14, 2};
    }
    released.width = 1;
    DensitySettings asked = quick();
    asked.kernel = "normal";
    asked.warmup = 1000;
    asked.draws = 2000;
    asked.thin = 5;
    asked.grid_points = 21;
    asked.quantities = {"mean", "q(0.9)", "P(x > 6)"};
    asked.algorithm = "neal5";
    const DensityResult imputed = estimate_density(column, released, 60, asked);
    asked.algorithm = "metropolis";
    const DensityResult binned = estimate_density(column, released, 60, asked);
    for (std::size_t q = 0; q < 3; ++q) {
      EXPECT_NEAR(binned.quantities[q].mean, imputed.quantities[q].mean, 0.2 * imputed.quantities[q].sd)
          << name << q;
      EXPECT_NEAR(binned.quantities[q].sd / imputed.quantities[q].sd, 1, 0.15) << name << q;
    }
    asked.algorithm = "auto";
    EXPECT_EQ(choose_algorithm({&column, 1}, 60, asked), "metropolis");
  }
}

}  // namespace
}  // namespace sotto::mixture
